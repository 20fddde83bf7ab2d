import type { RunRequest } from "./run-request.ts";

const DESCRIPTION_LENGTH_MAX = 200;

/** What a task is called where nobody named it: the start of what it does. */
export function describeWork(work: RunRequest["work"]): string {
  const text = work.type === "agent" ? work.prompt : work.argv.join(" ");
  const line = text.trim().split("\n", 1)[0] ?? "";
  return (line.length > DESCRIPTION_LENGTH_MAX ? `${line.slice(0, DESCRIPTION_LENGTH_MAX - 1)}…` : line).toWellFormed();
}
