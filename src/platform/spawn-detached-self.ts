import { isEmbeddedPath } from "./embedded-path.ts";

/** How a detached process began its life. */
export type DetachedStart =
  | { readonly type: "answered"; readonly line: string; readonly stderr: string }
  | { readonly type: "ended"; readonly exitCode: number | null; readonly signal: string | null; readonly stderr: string }
  | { readonly type: "timeout" };

const ANSWER_BYTES_MAX = 65_536;

/**
 * Starts this executable again in a session of its own and waits for its first line on stdout. After that nothing ties
 * the two together.
 *
 * @param params.input given to its stdin, which then ends
 * @param params.timeoutMs when no line came by then, the process is killed
 */
export async function spawnDetachedSelf(params: {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: string;
  readonly timeoutMs: number;
}): Promise<DetachedStart> {
  const child = Bun.spawn([...selfCommand(), ...params.args], {
    cwd: params.cwd,
    env: { ...params.env },
    stdin: new TextEncoder().encode(params.input),
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const stderr = collectText(child.stderr);
  const { promise: expired, resolve: expire } = Promise.withResolvers<"timeout">();
  const timer = setTimeout(() => expire("timeout"), params.timeoutMs);
  try {
    const line = await Promise.race([firstLine(child.stdout), expired]);
    if (line === "timeout") {
      child.kill("SIGKILL");
      return { type: "timeout" };
    }
    if (line !== undefined) return { type: "answered", line: line.text, stderr: stderr.soFar() };
    await Promise.race([child.exited, expired]);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      return { type: "timeout" };
    }
    return { type: "ended", exitCode: child.exitCode, signal: child.signalCode === null ? null : String(child.signalCode), stderr: await stderr.whole };
  } finally {
    clearTimeout(timer);
    child.unref();
  }
}

/** The executable itself, also after its file was replaced or removed; from source, Bun and the entry file. */
function selfCommand(): string[] {
  if (!isEmbeddedPath(Bun.main)) return [process.execPath, Bun.main];
  return [process.platform === "linux" ? "/proc/self/exe" : process.execPath];
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<{ readonly text: string } | undefined> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of stream) {
    bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf(0x0a);
    if (end !== -1) return { text: bytes.subarray(0, end).toString() };
    if (bytes.length > ANSWER_BYTES_MAX) return undefined;
  }
  return undefined;
}

function collectText(stream: ReadableStream<Uint8Array>): { readonly soFar: () => string; readonly whole: Promise<string> } {
  const decoder = new TextDecoder();
  let text = "";
  const whole = (async () => {
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
    return text;
  })();
  // A reader that is left behind with the process must not end this one.
  void whole.catch(() => undefined);
  return { soFar: () => text, whole };
}
