import { lstatSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { AppError, errorMessage, systemErrorCode } from "../core/errors.ts";
import { connectForLine } from "./control-connection.ts";
import { listenForLines, type LineListener } from "./control-listener.ts";
import { decodeAnswer, decodeRequest, encodeRequest, type ControlRequest } from "./control-protocol.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";

export interface ControlServer {
  /** Where the socket is, for people. */
  readonly path: string;
  /**
   * Removes the socket and aborts the requests that are being handled; they still have a second to answer. Resolves when
   * all connections are closed.
   */
  stop(): Promise<void>;
}

interface ControlServerOptions {
  /** Its mode protects the socket: whoever can reach it may ask. */
  readonly directory: PinnedDirectory;
  readonly name: string;
  /**
   * Does what is asked. What it returns goes back as JSON, what it throws as an error. The signal is aborted when the
   * client has gone or the server stops.
   */
  readonly handle: (request: ControlRequest, signal: AbortSignal) => Promise<unknown>;
  /** Removes a socket that a dead owner left behind. Only for whoever holds the owner's lock. */
  readonly replaceStale?: boolean;
  readonly now?: () => number;
}

/** The kernel takes 107 bytes on Linux and 103 on macOS. */
const SOCKET_PATH_BYTES_MAX = 103;

/**
 * Answers requests on a Unix socket: one line of JSON each way, one request a connection.
 *
 * A request whose deadline has passed is refused when it would be acted on: a process that was stopped by a signal finds
 * requests waiting whose clients gave up long ago.
 *
 * Throws an `AppError`: `conflict` with code `in_use` when the socket exists, `storage` when it cannot be made.
 */
export function serveControl(options: ControlServerOptions): ControlServer {
  const { directory, name, handle, replaceStale = false, now = Date.now } = options;
  const stopping = new AbortController();
  const path = socketPath(directory, name);
  if (replaceStale) removeStaleSocket(path);
  const server = listen(path, join(directory.path, name), async (line, signal) => {
    const { request, deadline } = decodeRequest(line);
    if (now() >= deadline) {
      throw new AppError("timeout", `Cannot do "${request.op}": the request came after its deadline`, { code: "deadline_passed" });
    }
    return handle(request, AbortSignal.any([signal, stopping.signal]));
  });
  return {
    path: join(directory.path, name),
    stop() {
      stopping.abort();
      return server.stop();
    },
  };
}

function listen(path: string, shownPath: string, answer: Parameters<typeof listenForLines>[1]): LineListener {
  try {
    return listenForLines(path, answer);
  } catch (error) {
    if (systemErrorCode(error) === "EADDRINUSE") {
      throw new AppError("conflict", `Cannot listen on "${shownPath}": it exists`, { code: "in_use", cause: error });
    }
    throw new AppError("storage", `Cannot listen on "${shownPath}": ${errorMessage(error)}`, { cause: error });
  }
}

function removeStaleSocket(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true) unlinkSync(path);
}

/** The client gives up later than the owner: nothing is done for a client that has gone. */
const TRAVEL_MS = 20;

interface ControlRequestOptions {
  readonly directory: PinnedDirectory;
  readonly name: string;
  readonly request: ControlRequest;
  /** How long to wait for the answer. An owner that has not begun by then never does. */
  readonly timeoutMs: number;
  /** Gives up when it is aborted, as when no answer came in time. */
  readonly signal?: AbortSignal;
  readonly now?: () => number;
}

/**
 * Asks the owner of a socket for something and resolves with its answer.
 *
 * Rejects with the `AppError` that the owner answered, or with `conflict`: code `unreachable` when nobody listens, which
 * does not prove that the owner is dead, and code `no_answer` when none came in time.
 */
export async function requestControl(options: ControlRequestOptions): Promise<unknown> {
  const { directory, name, request, timeoutMs, signal, now = Date.now } = options;
  const line = encodeRequest({ request, deadline: now() + timeoutMs });
  const path = socketPath(directory, name);
  const { promise: answer, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(noAnswer(request.op, `none came within ${timeoutMs} ms`)), timeoutMs + TRAVEL_MS);
  const onAbort = () => reject(noAnswer(request.op, "it was given up"));
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  const connecting = connectForLine(path, {
    line,
    onLine: resolve,
    onClosed: () => reject(noAnswer(request.op, "the connection was closed")),
    onFailed: (error) => reject(unreachable(request.op, join(directory.path, name), error)),
  });
  try {
    return decodeAnswer(await answer);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    // Not awaited: it never rejects, and the outcome is known whatever becomes of the connection.
    void connecting.then((socket) => socket?.terminate());
  }
}

/** Through the pinned directory: on Linux that is short, however long the path of the directory is. */
function socketPath(directory: PinnedDirectory, name: string): string {
  const path = directory.entry(name);
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) return path;
  throw new AppError(
    "storage",
    `Cannot use socket "${path}": its path is longer than ${SOCKET_PATH_BYTES_MAX} bytes; set AGENT_RUNTIME_DIR to a shorter one`,
    { code: "path_too_long" },
  );
}

function noAnswer(op: string, why: string): AppError {
  return new AppError("conflict", `Cannot learn the outcome of "${op}": the run did not answer: ${why}`, { code: "no_answer" });
}

function unreachable(op: string, path: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError("conflict", `Cannot ask the run for "${op}": nobody answers on "${path}"`, { code: "unreachable", cause: error });
}
