import { resolve } from "node:path";
import { AppError } from "../../core/errors.ts";
import { isTerminalTaskStatus, TASK_STATUSES, TASK_TYPES } from "../../core/task.ts";
import { nearestName } from "../../lib/nearest-name.ts";
import type { TaskSummaryRow } from "../../store/ledger-rows.ts";

/** What `--filter` of a list asks for. */
export interface TaskFilter {
  /** Whether it may be after tasks that are over: then all are looked at, as with `--all`. */
  readonly asksForEnded: boolean;
  readonly matches: (task: TaskSummaryRow) => boolean;
}

type Matcher = (task: TaskSummaryRow) => boolean;

/**
 * Parses `key=value` filters. Several of one key mean any of them, several keys mean all of them.
 *
 * Throws an `AppError` of reason `usage` for an unknown key or an impossible value.
 *
 * @param resolveParent turns what the user calls the parent into its id
 */
export function parseTaskFilter(filters: readonly string[], resolveParent: (text: string) => string): TaskFilter {
  const pairs = filters.map(splitPair);
  const byKey = Map.groupBy(pairs, ([key]) => key);
  const groups = [...byKey.values()].map((group) => group.map(([key, value]) => matcherFor(key, value, resolveParent)));
  return {
    asksForEnded: byKey.has("status") || byKey.has("terminal"),
    matches: (task) => groups.every((matchers) => matchers.some((isMatch) => isMatch(task))),
  };
}

const FILTER_KEYS = ["status", "type", "parent", "name", "cwd", "terminal"] as const;
type FilterKey = (typeof FILTER_KEYS)[number];

function splitPair(text: string): readonly [FilterKey, string] {
  const separator = text.indexOf("=");
  const key = separator === -1 ? text : text.slice(0, separator);
  const known = FILTER_KEYS.find((name) => name === key);
  if (known === undefined || separator === -1) {
    throw new AppError("usage", `Cannot use "${text}" for --filter: it takes KEY=VALUE with the key ${FILTER_KEYS.join(", ")}`, { code: "bad_value" });
  }
  return [known, text.slice(separator + 1)];
}

function matcherFor(key: FilterKey, value: string, resolveParent: (text: string) => string): Matcher {
  switch (key) {
    case "status":
      requireOneOf("status", value, TASK_STATUSES);
      return (task) => task.status === value;
    case "type":
      requireOneOf("type", value, TASK_TYPES);
      return (task) => task.type === value;
    case "terminal":
      requireOneOf("terminal", value, ["true", "false"]);
      return (task) => isTerminalTaskStatus(task.status) === (value === "true");
    case "parent": {
      const parent = resolveParent(value);
      return (task) => task.parentTaskId === parent;
    }
    case "name":
      return (task) => task.name === value;
    case "cwd": {
      const cwd = resolve(value);
      return (task) => task.cwd === cwd;
    }
  }
}

function requireOneOf(key: string, value: string, values: readonly string[]): void {
  if (values.includes(value)) return;
  const nearest = nearestName(value, values);
  const hint = nearest === undefined ? "" : ` (did you mean "${nearest}"?)`;
  throw new AppError("usage", `Cannot use "${value}" for --filter ${key}=${hint}: it takes ${values.join(", ")}`, { code: "bad_value" });
}
