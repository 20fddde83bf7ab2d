import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What one whole process cost. */
export interface ProcessCost {
  readonly wallMs: number;
  /** User and system time of the process and of the children it waited for. */
  readonly cpuMs: number;
  readonly exitCode: number;
  readonly stdout: string;
}

/** Runs a command to its end and asks the system what it cost. */
export async function measure(argv: readonly string[], options: { readonly env?: Record<string, string | undefined>; readonly cwd?: string } = {}): Promise<ProcessCost> {
  const startedAt = performance.now();
  const child = Bun.spawn([...argv], { stdin: "ignore", stdout: "pipe", stderr: "ignore", env: { ...process.env, ...options.env }, ...(options.cwd === undefined ? {} : { cwd: options.cwd }) });
  const stdout = await new Response(child.stdout).text();
  await child.exited;
  const wallMs = performance.now() - startedAt;
  const usage = child.resourceUsage();
  return {
    wallMs,
    cpuMs: Number(usage?.cpuTime.total ?? 0) / 1_000,
    exitCode: child.exitCode ?? -1,
    stdout,
  };
}

/** As `measurePeak`, the memory alone. */
export async function measurePeakMiB(argv: readonly string[], options: { readonly env?: Record<string, string | undefined> } = {}): Promise<number> {
  return (await measurePeak(argv, options)).peakMiB;
}

/**
 * The most memory that a command had at once, by GNU time (Debian package `time`), how long it took and what it computed,
 * to 10 ms. Its own start from here would not tell: until it has loaded its program, a child counts with the memory of
 * its parent.
 */
export async function measurePeak(
  argv: readonly string[],
  options: { readonly env?: Record<string, string | undefined>; readonly cwd?: string } = {},
): Promise<{ readonly peakMiB: number; readonly wallMs: number; readonly cpuMs: number }> {
  const folder = mkdtempSync(join(tmpdir(), "agent-bench-"));
  try {
    const report = join(folder, "peak");
    const startedAt = performance.now();
    const child = Bun.spawn(["/usr/bin/time", "-f", "%M %U %S", "-o", report, ...argv], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      env: { ...process.env, ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    if ((await child.exited) !== 0) throw new Error(`${argv.join(" ")} failed with ${child.exitCode}`);
    const wallMs = performance.now() - startedAt;
    const [peakKiB, userSeconds, systemSeconds] = (await Bun.file(report).text()).split(" ").map(Number);
    return { peakMiB: Number(peakKiB) / 1_024, wallMs, cpuMs: (Number(userSeconds) + Number(systemSeconds)) * 1_000 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Measures two commands in turn, A B A B …, so that a machine whose speed drifts does not favor one of them.
 *
 * @returns medians of both and of the ratio pair by pair
 */
export async function compare(
  a: () => Promise<ProcessCost>,
  b: () => Promise<ProcessCost>,
  pairs: number,
): Promise<{ readonly a: ProcessCost; readonly b: ProcessCost; readonly wallRatio: number; readonly cpuRatio: number }> {
  await a();
  await b();
  const rows: { a: ProcessCost; b: ProcessCost }[] = [];
  for (let pair = 0; pair < pairs; pair++) rows.push({ a: await a(), b: await b() });
  return {
    a: medianCost(rows.map((row) => row.a)),
    b: medianCost(rows.map((row) => row.b)),
    wallRatio: median(rows.map((row) => row.a.wallMs / row.b.wallMs)),
    cpuRatio: median(rows.map((row) => row.a.cpuMs / row.b.cpuMs)),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((x, y) => x - y);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function medianCost(costs: readonly ProcessCost[]): ProcessCost {
  return {
    wallMs: median(costs.map((cost) => cost.wallMs)),
    cpuMs: median(costs.map((cost) => cost.cpuMs)),
    exitCode: costs.find((cost) => cost.exitCode !== 0)?.exitCode ?? 0,
    stdout: costs[0]?.stdout ?? "",
  };
}
