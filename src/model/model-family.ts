/** The id that a dated id such as `claude-haiku-4-5-20251001` is a snapshot of. Any other id stands for itself. */
export function modelFamily(model: string): string {
  return model.replace(/-\d{8}$/, "");
}
