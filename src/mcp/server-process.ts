import { randomUUID } from "node:crypto";
import { AppError } from "../core/errors.ts";
import type { McpServer, McpWorld } from "../core/mcp-server.ts";
import { endProcesses } from "../platform/end-processes.ts";
import { identifyProcess } from "../platform/process-identity.ts";
import { spawnPiped } from "../platform/spawn-piped.ts";
import { expandVariables } from "./expand-variables.ts";

/** A server that runs, line by line. */
export interface ServerProcess {
  /** Resolves when the pipe has taken the line; rejects when the server is gone. */
  write(line: string): Promise<void>;
  /** The lines of its stdout, until it ends. Throws where one is too long. */
  readonly lines: AsyncIterable<string>;
  /** Resolves when nothing more can come from it, to why, for people. */
  readonly ended: Promise<string>;
  /** Ends it and all that it has started. Never rejects. */
  end(): Promise<void>;
}

/** A message that is larger is no answer for a model. */
const LINE_CHARS_MAX = 16 * 1_048_576;
const STDERR_CHARS_MAX = 500;
/** A server ends by itself when its stdin does. */
const POLITE_MS = 500;
const KILL_GRACE_MS = 1_000;
/** What proves that a process belongs to a server. */
const SERVER_VARIABLE = "AGENT_MCP_SERVER_ID";

/** Starts a server as the leader of its own session. Throws an `AppError` where that cannot be. */
export function startServer({ command, args = [], env = {} }: McpServer, world: McpWorld): ServerProcess {
  const { supervision, cwd, childEnv } = world;
  const id = randomUUID();
  const expand = (text: string) => expandVariables(text, world.env);
  const mark = supervision.newMark();
  const argv = [expand(command), ...args.map(expand)];
  const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, expand(value)]));
  const environment = { ...childEnv, PWD: cwd, ...own, [SERVER_VARIABLE]: id };
  const child = spawnPiped({ argv, cwd, env: environment, supervise: (start) => supervision.start(start, mark) });
  const leader = identifyProcess(child.pid) ?? { pid: child.pid, startTime: "unknown", bootId: "unknown" };
  const stderr = tailOf(child.stderr);
  const tooLong = Promise.withResolvers<string>();
  const exited = child.exited.then(async () => {
    const how = child.signalCode === null ? `exit code ${child.exitCode ?? "unknown"}` : child.signalCode;
    const said = (await Promise.race([stderr, Bun.sleep(POLITE_MS)])) ?? "";
    return said === "" ? `it ended with ${how}` : `it ended with ${how}: ${said}`;
  });
  return {
    async write(line) {
      await child.stdin.write(`${line}\n`);
      await child.stdin.flush();
    },
    lines: linesOf(child.stdout, tooLong.resolve),
    ended: Promise.race([tooLong.promise, exited]),
    async end() {
      try {
        await child.stdin.end();
      } catch {
        // It has ended by itself.
      }
      await Promise.race([child.exited, Bun.sleep(POLITE_MS)]);
      const left = await endProcesses({ trace: { variable: `${SERVER_VARIABLE}=${id}`, mark }, leaders: [leader], adopter: supervision.adopter(), graceMs: KILL_GRACE_MS });
      if (left.length > 0) world.warn(`These processes of the MCP server "${argv[0]}" could not be ended: ${left.join(", ")}`);
    },
  };
}

/** A line stays in pieces until it is whole: searching all of it again for each piece would take the square of its length. */
async function* linesOf(stream: ReadableStream<Uint8Array>, onTooLong: (why: string) => void): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const [first = "", ...following] = decoder.decode(chunk, { stream: true }).split("\n");
    pieces.push(first);
    length += first.length;
    if (length > LINE_CHARS_MAX) {
      const why = `it wrote a line of more than ${LINE_CHARS_MAX / 1_048_576} MiB`;
      onTooLong(why);
      throw new AppError("failed", why, { code: "line_too_long" });
    }
    const begun = following.pop();
    if (begun === undefined) continue;
    yield pieces.join("");
    yield* following;
    pieces = [begun];
    length = begun.length;
  }
}

/** The last of what a server says about itself, on one line. */
async function tailOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let tail = "";
  for await (const chunk of stream) tail = (tail + decoder.decode(chunk, { stream: true })).slice(-STDERR_CHARS_MAX);
  return tail.toWellFormed().replaceAll(/\s+/g, " ").trim();
}
