import type { Fault } from "./fault.ts";
import type { Json } from "./json.ts";

/** A request as it arrived, and what became of it. */
export interface LoggedRequest {
  /** Counts from 1, over all requests; `request-id` is `req_` and this number. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the body as text. */
  readonly text: string;
  /** The parsed body; empty where it could not be read. */
  readonly body: Json;
  /** Milliseconds since the epoch. */
  readonly arrivedAtMs: number;
  /** Requests that were being answered when this one had arrived, itself included. */
  readonly concurrent: number;
  /** Why the server refused the request as the service would; undefined where the script answered. */
  readonly refused: Fault | undefined;
  /** What was sent; undefined before, and where the connection was reset instead. */
  readonly status: number | undefined;
  /** What the reply said about tokens; undefined where there was none. */
  readonly usage: Json | undefined;
  /** Whether the response is over: sent, broken off, or given up by the client. */
  readonly isOver: boolean;
  /** Whether the client went away before the response was over. */
  readonly isAborted: boolean;
}

export type LogEntry = { -readonly [Name in keyof LoggedRequest]: LoggedRequest[Name] };

export interface RequestLog {
  readonly entries: readonly LogEntry[];
  open(incoming: Request): LogEntry;
  /** Closes an entry; all calls but the first do nothing. */
  close(entry: LogEntry): void;
}

export function createRequestLog(): RequestLog {
  const entries: LogEntry[] = [];
  let open = 0;

  function close(entry: LogEntry): void {
    if (entry.isOver) return;
    entry.isOver = true;
    open--;
  }

  return {
    entries,
    open(incoming) {
      const entry: LogEntry = {
        number: entries.length + 1,
        method: incoming.method,
        path: new URL(incoming.url).pathname,
        headers: Object.fromEntries(incoming.headers),
        text: "",
        body: {},
        arrivedAtMs: Date.now(),
        concurrent: ++open,
        refused: undefined,
        status: undefined,
        usage: undefined,
        isOver: false,
        isAborted: false,
      };
      incoming.signal.addEventListener("abort", () => {
        if (!entry.isOver) entry.isAborted = true;
        close(entry);
      });
      entries.push(entry);
      return entry;
    },
    close,
  };
}
