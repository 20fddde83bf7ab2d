/**
 * Ends the process. The one place that does: everything else returns its exit status up to `main`, so that what was
 * queued for stdout is written before.
 */
export function exitProcess(code: number): never {
  process.exit(code);
}
