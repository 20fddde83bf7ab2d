/** Whether a call of a tool can be made again to get what it gave: it only looks at what is there. */
export function isRepeatableTool(name: string): boolean {
  return REPEATABLE.has(name);
}

const REPEATABLE: ReadonlySet<string> = new Set(["Read", "Grep", "Glob", "TaskOutput"]);
