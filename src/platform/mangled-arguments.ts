import { readFileSync } from "node:fs";

/**
 * Whether the runtime could not read an argument of this process and put replacement characters in its place: what the
 * user wrote is then not what the program got. False where the system does not show the bytes.
 */
export function hasMangledArguments(argv: readonly string[]): boolean {
  if (!argv.some((word) => word.includes("\ufffd"))) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(readFileSync("/proc/self/cmdline"));
    return false;
  } catch (error) {
    return error instanceof TypeError;
  }
}
