/**
 * Whether setting a variable of this name changes nothing but what its own uses give: lower-case names without an
 * underscore mean nothing to the shell and, unless they were exported, nothing to programs.
 */
export function isPlainVariable(name: string): boolean {
  return /^[a-z][a-z0-9]*$/.test(name) && name !== "histchars";
}
