import { UsageError } from "./usage-error.ts";

/**
 * What a compile-time flag switches: the folder that leaves the build with it, and a string that stands nowhere else.
 * One that is off unless asked for is for builds that nobody is to release.
 */
export const FLAGS = {
  WORKFLOW_SCRIPTS: { folder: "src/tasks/local_workflow/", marker: "workflowScriptDigest", isOnByDefault: true },
  MONITOR_TOOL: { folder: "src/tasks/monitor_mcp/", marker: "suppressedEvents", isOnByDefault: true },
  TEST_HOOKS: { folder: "src/platform/test-hooks/", marker: "AGENT_TEST_CRASH_AT", isOnByDefault: false },
} as const;

export type FlagName = keyof typeof FLAGS;
export type Flags = Readonly<Record<FlagName, boolean>>;
// The keys of an object literal are exactly its type's.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys knows only strings
export const FLAG_NAMES = Object.keys(FLAGS) as readonly FlagName[];

/** The flags of which every combination is released. */
export const VARIANT_FLAG_NAMES = FLAG_NAMES.filter((name) => FLAGS[name].isOnByDefault);

/** Reads `NAME=on` and `NAME=off`; what is not named has its default. Throws a `UsageError` for any other name or value. */
export function parseFlags(settings: readonly string[]): Flags {
  const flags = { WORKFLOW_SCRIPTS: true, MONITOR_TOOL: true, TEST_HOOKS: false };
  for (const setting of settings) {
    const [name = "", value = ""] = setting.split(/=(.*)/s);
    if (!isFlagName(name)) throw new UsageError(`Cannot set flag "${name}": the known flags are ${FLAG_NAMES.join(", ")}`);
    if (value !== "on" && value !== "off") throw new UsageError(`Cannot set flag "${name}" to "${value}": a flag is "on" or "off"`);
    flags[name] = value === "on";
  }
  return flags;
}

/** Every combination of the flags that is released, the one with everything first. */
export function allVariants(): Flags[] {
  return VARIANT_FLAG_NAMES.reduce<Flags[]>(
    (variants, name) => variants.flatMap((flags) => [{ ...flags, [name]: true }, { ...flags, [name]: false }]),
    [parseFlags([])],
  );
}

/** "full", or what is different from it: "no-monitor-tool", "test-hooks". */
export function variantName(flags: Flags): string {
  const different = FLAG_NAMES.filter((name) => flags[name] !== FLAGS[name].isOnByDefault);
  return different.map((name) => `${flags[name] ? "" : "no-"}${name.toLowerCase().replaceAll("_", "-")}`).join("-") || "full";
}

function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}
