import { type SupervisionMeans, supervisionMeans } from "../../platform/supervision-means.ts";
import type { Check } from "./check.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What of a run's processes is found and ended with it on this machine, and what may go on. */
export function supervisionCheck(env: Env, means: SupervisionMeans = supervisionMeans(env)): Check {
  const name = "supervision";
  const gaps = gapsOf(means);
  if (gaps.length === 0) return { name, status: "ok", message: "whatever a run starts is found by its mark; a watchdog ends it when the run is killed" };
  return { name, status: "warn", message: gaps.map(({ gap }) => gap).join("; "), advice: gaps.map(({ advice }) => advice).join("; ") };
}

interface Gap {
  readonly gap: string;
  readonly advice: string;
}

function gapsOf(means: SupervisionMeans): Gap[] {
  if (means.missingForWatchdog === undefined) return [UNSUPPORTED];
  return [
    ...(means.canMark ? [] : [means.canReadEnvironment ? NO_MARKS : NO_TRACES]),
    ...(means.canAdopt ? [] : [NO_ADOPTION]),
    ...(means.missingForWatchdog.length === 0 ? [] : [noWatchdog(means.missingForWatchdog)]),
  ];
}

const UNSUPPORTED: Gap = {
  gap: "on this platform only the process group of a command is ended with it, and nothing when a run is killed until the next command looks",
  advice: 'run "agent ps" after a run was killed, and end daemons yourself',
};
const NO_MARKS: Gap = {
  gap: "processes cannot be marked by a resource limit here, so one that empties its environment and leaves its session may go on after its run",
  advice: "raise the hard limit: ulimit -H -R unlimited, or run outside of the sandbox that hides it",
};
const NO_TRACES: Gap = {
  gap: "neither limits nor environments of processes can be read here, so one that leaves its session may go on after its run",
  advice: "mount /proc as the system has it",
};
const NO_ADOPTION: Gap = {
  gap: "processes that lose their parent are not seen by their run until it ends",
  advice: "use a kernel that lists the children of a process (CONFIG_PROC_CHILDREN)",
};

function noWatchdog(missing: readonly string[]): Gap {
  return {
    gap: `there is no watchdog without ${missing.join(" and ")}, so what a killed run started goes on until the next command looks`,
    advice: `install ${missing.join(" and ")}`,
  };
}
