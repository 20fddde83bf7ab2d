/** What became of a test run. */
export interface TestCounts {
  readonly passed: number;
  /** Never 0 when the run as a whole was not good: a file that did not load, a crash, no test at all. */
  readonly failed: number;
}

/** How long the output may stay open after the end, held by something that a test left behind. */
const OUTPUT_GRACE_MS = 1_000;
/** How much of the end of the output is kept to find the summary in. */
const TAIL_LENGTH_MAX = 65_536;

/**
 * Runs `bun test` and shows its output on stderr while it comes. The counts are taken from the summary there, since the
 * machine-readable reports leave out files that do not load.
 *
 * @param options.timeoutMs when the whole run is given up
 * @param options.show gets the output; stderr unless told
 */
export async function runTests(options: {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly show?: (chunk: Uint8Array) => void;
}): Promise<TestCounts> {
  const child = Bun.spawn([process.execPath, "--no-env-file", "test", ...options.args], {
    cwd: options.cwd,
    env: { ...options.env },
    stdio: ["ignore", 2, "pipe"],
    timeout: options.timeoutMs,
    killSignal: "SIGKILL",
  });
  const output = collectTail(child.stderr, options.show ?? ((chunk) => process.stderr.write(chunk)));
  const exitCode = await child.exited;
  await Promise.race([output.ended, Bun.sleep(OUTPUT_GRACE_MS)]);
  const { passed, failed } = readSummary(output.tail());
  const isGood = exitCode === 0 && passed > 0;
  return { passed, failed: isGood ? failed : Math.max(failed, 1) };
}

function collectTail(stream: ReadableStream<Uint8Array>, show: (chunk: Uint8Array) => void) {
  let tail = "";
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      show(chunk);
      tail = (tail + decoder.decode(chunk, { stream: true })).slice(-TAIL_LENGTH_MAX);
    }
  };
  return { ended: read(), tail: () => tail };
}

/** The last summary: a test may itself run tests and show theirs. */
function readSummary(output: string): TestCounts {
  const summary = output.slice(0, output.search(/\nRan \d+ tests? across \d+ files?\.(?![\s\S]*\nRan \d+ tests? across)/) + 1);
  return { passed: lastCount(summary, "pass"), failed: lastCount(summary, "fail") };
}

function lastCount(summary: string, word: string): number {
  return Number([...summary.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);
}
