import { readFileSync, readlinkSync } from "node:fs";
import type { ProcessIdentity } from "../core/task-host.ts";
import { ENDED_STATES, type ProcStat, readProcStat } from "./proc-stat.ts";

/**
 * What tells a process from every other one, later ones with its pid included; undefined when there is no such process.
 * Zombies have an identity too: their group may live on.
 *
 * @param platform for tests
 */
export function identifyProcess(pid: number, platform: NodeJS.Platform = process.platform): ProcessIdentity | undefined {
  const found = look(pid, platform);
  return found === undefined ? undefined : { pid, startTime: found.startTime, bootId: bootId(platform) };
}

/** Whether the process is still there. A zombie is not. */
export function isSameProcess(identity: ProcessIdentity, platform: NodeJS.Platform = process.platform): boolean {
  if (identity.bootId !== bootId(platform)) return false;
  const found = look(identity.pid, platform);
  return found !== undefined && found.startTime === identity.startTime && !ENDED_STATES.has(found.state);
}

/** The identity of this process. Where the platform tells nothing about processes, one that never equals another. */
export function currentProcess(): ProcessIdentity {
  return identifyProcess(process.pid) ?? { pid: process.pid, startTime: "unknown", bootId: bootId(process.platform) };
}

type Sighting = Pick<ProcStat, "startTime" | "state">;

function look(pid: number, platform: NodeJS.Platform): Sighting | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return platform === "linux" ? readProcStat(pid) : lookWithPs(pid);
}

function lookWithPs(pid: number): Sighting | undefined {
  const line = run(["ps", "-o", "state=,lstart=", "-p", String(pid)]);
  const match = line === undefined ? null : /^(\S)\S*\s+(\S.*)$/.exec(line);
  const [state, startTime] = [match?.[1], match?.[2]];
  return state === undefined || startTime === undefined ? undefined : { state, startTime };
}

/** Containers share the kernel, and with it the boot, but number their processes apart. */
function bootId(platform: NodeJS.Platform): string {
  if (platform !== "linux") return run(["sysctl", "-n", "kern.bootsessionuuid"]) ?? "unknown";
  const boot = readOrUndefined(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()) ?? "unknown";
  const namespace = readOrUndefined(() => readlinkSync("/proc/self/ns/pid"));
  return namespace === undefined ? boot : `${boot} ${namespace}`;
}

function run(command: readonly string[]): string | undefined {
  // The start time is text in the language and time zone of whoever asks: the same ones each time.
  const result = readOrUndefined(() =>
    Bun.spawnSync([...command], { env: { ...process.env, LC_ALL: "C", TZ: "UTC" }, stdin: "ignore", stderr: "ignore", timeout: 5_000 }),
  );
  if (result === undefined || !result.success) return undefined;
  return result.stdout.toString().trim() || undefined;
}

function readOrUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
