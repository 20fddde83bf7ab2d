import { AppError } from "../core/errors.ts";
import { createRipgrepLocator } from "./ripgrep-executable.ts";

export interface RipgrepResult {
  /** What it printed, up to `outputBytesMax` bytes. */
  readonly output: string;
  /** Whether there was more. The search was ended then. */
  readonly isTruncated: boolean;
  /** What it complained about, without its own name in front. A search may have results all the same. */
  readonly complaint: string | undefined;
}

const RIPGREP_TIMEOUT_MS = 30_000;
const COMPLAINT_BYTES_MAX = 2_048;

const locateRipgrep = createRipgrepLocator();

/**
 * Runs one search without a shell, in an empty environment and without configuration files, so that nothing but the
 * arguments decides what it does.
 *
 * Throws an `AppError` when it takes too long, and the reason of the signal when that is aborted.
 *
 * @param params.args whatever comes from outside must stand in the form `--name=value` or behind `--`
 * @param params.timeoutMs 30 s unless told
 */
export async function runRipgrep(params: {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly outputBytesMax: number;
  readonly timeoutMs?: number;
  readonly locate?: () => string;
  /** Calls what starts the process, at once; for whoever has to find it again. */
  readonly supervise?: (start: () => RipgrepChild) => RipgrepChild;
}): Promise<RipgrepResult> {
  params.signal.throwIfAborted();
  const timeoutMs = params.timeoutMs ?? RIPGREP_TIMEOUT_MS;
  const timeout = AbortSignal.timeout(timeoutMs);
  const start = (): RipgrepChild =>
    Bun.spawn([(params.locate ?? locateRipgrep)(), "--no-config", ...params.args], {
      cwd: params.cwd,
      env: {},
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      signal: AbortSignal.any([params.signal, timeout]),
      killSignal: "SIGKILL",
    });
  const child = params.supervise === undefined ? start() : params.supervise(start);
  const endChild = (): void => child.kill("SIGKILL");
  const [output, complaint] = await Promise.all([
    readBounded(child.stdout, { bytesMax: params.outputBytesMax, onFull: endChild }),
    readBounded(child.stderr, { bytesMax: COMPLAINT_BYTES_MAX, onFull: () => undefined }),
  ]);
  const exitCode = await child.exited;
  params.signal.throwIfAborted();
  if (timeout.aborted && child.signalCode !== null && !output.isFull) {
    throw new AppError("timeout", `The search took longer than ${timeoutMs / 1_000} s; search a smaller directory or for something rarer`);
  }
  return {
    output: output.text,
    isTruncated: output.isFull,
    complaint: exitCode === RIPGREP_FAILED ? withoutName(complaint.text) : undefined,
  };
}

type RipgrepChild = Bun.Subprocess<"ignore", "pipe", "pipe">;

/** 0 is a match, 1 none. */
const RIPGREP_FAILED = 2;

function withoutName(text: string): string {
  return text.trim().replace(/^rg: /gm, "");
}

/** Reads to the end and keeps the first bytes; the rest is dropped, so that the writer never waits. */
async function readBounded(
  stream: ReadableStream<Uint8Array>,
  options: { readonly bytesMax: number; readonly onFull: () => void },
): Promise<{ readonly text: string; readonly isFull: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    if (length > options.bytesMax) continue;
    chunks.push(chunk);
    length += chunk.length;
    if (length > options.bytesMax) options.onFull();
  }
  const kept = Buffer.concat(chunks).subarray(0, options.bytesMax);
  return { text: kept.toString(), isFull: length > options.bytesMax };
}
