import { readdirSync, readFileSync } from "node:fs";

/** A process as the system sees it at one moment. */
export interface ProcessSample {
  /** By `performance.now()`. */
  readonly atMs: number;
  readonly residentMiB: number;
  readonly descriptors: number;
  /** User and system time since its start. */
  readonly cpuMs: number;
}

/** Looks at a process through `/proc`. */
export function sampleProcess(pid: number): ProcessSample {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return {
    atMs: performance.now(),
    residentMiB: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    cpuMs: cpuMsOf(pid),
  };
}

/** Linux counts in hundredths of a second, of all threads, those that have ended among them. */
function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const [user, system] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(11, 13);
  return 10 * (Number(user) + Number(system));
}

/** The rise of the line that fits best through points, per unit of x. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const covariance = mean(points.map(([x, y]) => (x - meanX) * (y - meanY)));
  return covariance / mean(points.map(([x]) => (x - meanX) ** 2));
}
