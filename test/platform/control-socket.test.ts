import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../src/core/errors.ts";
import { requestControl, serveControl } from "../../src/platform/control-socket.ts";
import { openPinnedDirectory, type PinnedDirectory } from "../../src/platform/pinned-directory.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf } from "../support/thrown.ts";
import { waitFor } from "../support/wait-for.ts";

const NAME = "run.sock";
const LINE_BYTES_MAX = 1_048_576;

function pinnedTempDir(): { readonly directory: PinnedDirectory; [Symbol.dispose](): void } {
  const dir = tempDir();
  const directory = openPinnedDirectory(dir.path, { create: false });
  return {
    directory,
    [Symbol.dispose]() {
      directory.close();
      dir[Symbol.dispose]();
    },
  };
}

const echo = (request: object) => Promise.resolve({ asked: request });

/** Sends text as it is and resolves with all that comes back until the connection is closed. */
async function exchange(directory: PinnedDirectory, text: string): Promise<string> {
  let received = "";
  const closed = Promise.withResolvers<void>();
  const bytes = Buffer.from(text);
  let sent = 0;
  const send = (socket: { write(data: Uint8Array): number }) => {
    sent += Math.max(0, socket.write(bytes.subarray(sent)));
  };
  await Bun.connect({
    unix: directory.entry(NAME),
    socket: {
      open: send,
      drain: send,
      data(_socket, chunk) {
        received += chunk.toString();
      },
      close: () => closed.resolve(),
      error: () => closed.resolve(),
    },
  });
  await closed.promise;
  return received;
}

test("a request is answered with what the handler returns", async () => {
  using dir = pinnedTempDir();
  const server = serveControl({ directory: dir.directory, name: NAME, handle: echo });
  expect(server.path).toBe(join(dir.directory.path, NAME));
  const answer = await requestControl({
    directory: dir.directory,
    name: NAME,
    request: { op: "stop", task_id: "b00000000" },
    timeoutMs: 5_000,
  });
  expect(answer).toMatchObject({ asked: { op: "stop", task_id: "b00000000" } });
  await server.stop();
  expect(readdirSync(dir.directory.path)).toEqual([]);
});

test("many requests at once each get their own answer", async () => {
  using dir = pinnedTempDir();
  const server = serveControl({ directory: dir.directory, name: NAME, handle: (request) => Promise.resolve(request["n"]) });
  const numbers = Array.from({ length: 100 }, (_, n) => n);
  const answers = await Promise.all(
    numbers.map((n) => requestControl({ directory: dir.directory, name: NAME, request: { op: "echo", n }, timeoutMs: 5_000 })),
  );
  expect(answers).toEqual(numbers);
  await server.stop();
});

test("the error of a handler reaches the client with its reason and code", async () => {
  using dir = pinnedTempDir();
  const server = serveControl({
    directory: dir.directory,
    name: NAME,
    handle: () => Promise.reject(new AppError("not_found", 'Cannot stop task "x": this run has no such task', { code: "no_task" })),
  });
  const error = await appErrorOf(() => requestControl({ directory: dir.directory, name: NAME, request: { op: "stop" }, timeoutMs: 5_000 }));
  expect([error.reason, error.code, error.message]).toEqual(["not_found", "no_task", 'Cannot stop task "x": this run has no such task']);
  await server.stop();
});

test("a defect of a handler is internal", async () => {
  using dir = pinnedTempDir();
  const server = serveControl({
    directory: dir.directory,
    name: NAME,
    handle: () => {
      throw new TypeError("broken");
    },
  });
  const error = await appErrorOf(() => requestControl({ directory: dir.directory, name: NAME, request: { op: "stop" }, timeoutMs: 5_000 }));
  expect([error.reason, error.message]).toEqual(["internal", "broken"]);
  await server.stop();
});

test("a request that comes after its deadline is not carried out", async () => {
  using dir = pinnedTempDir();
  let clock = 1_000;
  let calls = 0;
  const server = serveControl({
    directory: dir.directory,
    name: NAME,
    now: () => clock,
    handle: () => Promise.resolve(++calls),
  });
  const ask = () => requestControl({ directory: dir.directory, name: NAME, request: { op: "stop" }, timeoutMs: 500, now: () => 1_000 });
  clock = 1_499;
  expect(await ask()).toBe(1);
  clock = 1_500;
  const error = await appErrorOf(ask);
  expect([error.reason, error.code]).toEqual(["timeout", "deadline_passed"]);
  expect(calls).toBe(1);
  await server.stop();
});

test("a stopped owner does not carry out a request whose client gave up", async () => {
  using dir = pinnedTempDir();
  using owner = await startOwner(dir.directory);
  const ask = (op: string, timeoutMs: number) => requestControl({ directory: dir.directory, name: NAME, request: { op }, timeoutMs });
  expect(await ask("count", 5_000)).toBe(1);
  process.kill(owner.pid, "SIGSTOP");
  await waitFor(() => readFileSync(`/proc/${owner.pid}/stat`, "latin1").includes(") T "));
  const error = await appErrorOf(() => ask("count", 50));
  expect([error.reason, error.code]).toEqual(["conflict", "no_answer"]);
  process.kill(owner.pid, "SIGCONT");
  expect(await ask("count", 5_000)).toBe(2);
});

test.each([
  ["no JSON", "stop\n", "not a JSON object"],
  ["no object", "[]\n", "not a JSON object"],
  ["nothing", "\n", "not a JSON object"],
  ["another version", '{"v":2,"op":"stop","deadline":1}\n', "version is 2"],
  ["no operation", '{"v":1,"deadline":1}\n', '"op"'],
  ["no deadline", '{"v":1,"op":"stop"}\n', '"deadline"'],
])("a line with %s gets an error and the server goes on", async (_name, line, reason) => {
  using dir = pinnedTempDir();
  const server = serveControl({ directory: dir.directory, name: NAME, handle: echo });
  const answer: unknown = JSON.parse(await exchange(dir.directory, line));
  expect(answer).toMatchObject({ ok: false, error: { reason: "usage", code: "malformed_request", message: expect.stringContaining(reason) } });
  expect(await requestControl({ directory: dir.directory, name: NAME, request: { op: "x" }, timeoutMs: 5_000 })).toMatchObject({ asked: { op: "x" } });
  await server.stop();
});

test("a line that does not end gets an error at the limit, and nothing is handled", async () => {
  using dir = pinnedTempDir();
  let calls = 0;
  const server = serveControl({ directory: dir.directory, name: NAME, handle: () => Promise.resolve(++calls) });
  const answer: unknown = JSON.parse(await exchange(dir.directory, "x".repeat(LINE_BYTES_MAX)));
  expect(answer).toMatchObject({ ok: false, error: { code: "too_long" } });
  expect(calls).toBe(0);
  await server.stop();
});

test("a request as long as a line may be arrives whole, a longer one is refused before it is sent", async () => {
  using dir = pinnedTempDir();
  const server = serveControl({ directory: dir.directory, name: NAME, handle: (request) => Promise.resolve(String(request["text"]).length) });
  const ask = (length: number) =>
    requestControl({ directory: dir.directory, name: NAME, request: { op: "x", text: "y".repeat(length) }, timeoutMs: 5_000 });
  expect(await ask(LINE_BYTES_MAX - 100)).toBe(LINE_BYTES_MAX - 100);
  const error = await appErrorOf(() => ask(LINE_BYTES_MAX));
  expect([error.reason, error.code]).toEqual(["usage", "too_long"]);
  await server.stop();
});

test("an answer that is too long is an error", async () => {
  using dir = pinnedTempDir();
  const server = serveControl({ directory: dir.directory, name: NAME, handle: () => Promise.resolve("y".repeat(LINE_BYTES_MAX)) });
  const error = await appErrorOf(() => requestControl({ directory: dir.directory, name: NAME, request: { op: "x" }, timeoutMs: 5_000 }));
  expect([error.reason, error.code]).toEqual(["internal", "too_long"]);
  await server.stop();
});

test("a socket in a folder with a long path works", async () => {
  using dir = tempDir();
  const path = join(dir.path, "n".repeat(100), "m".repeat(100));
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const directory = openPinnedDirectory(path, { create: false });
  const server = serveControl({ directory, name: NAME, handle: echo });
  expect(await requestControl({ directory, name: NAME, request: { op: "x" }, timeoutMs: 5_000 })).toMatchObject({ asked: { op: "x" } });
  expect(readdirSync(path)).toEqual([NAME]);
  await server.stop();
  directory.close();
});

test("a socket name that is too long is refused", async () => {
  using dir = pinnedTempDir();
  const error = await appErrorOf(() => serveControl({ directory: dir.directory, name: "n".repeat(100), handle: echo }));
  expect([error.reason, error.code]).toEqual(["storage", "path_too_long"]);
});

test("nobody listens: unreachable, whether the socket is missing or left behind", async () => {
  using dir = pinnedTempDir();
  const ask = () => requestControl({ directory: dir.directory, name: NAME, request: { op: "stop" }, timeoutMs: 5_000 });
  const missing = await appErrorOf(ask);
  await leaveSocketBehind(dir.directory);
  const stale = await appErrorOf(ask);
  for (const error of [missing, stale]) expect([error.reason, error.code]).toEqual(["conflict", "unreachable"]);
});

test("a socket that was left behind is replaced on request only", async () => {
  using dir = pinnedTempDir();
  await leaveSocketBehind(dir.directory);
  const error = await appErrorOf(() => serveControl({ directory: dir.directory, name: NAME, handle: echo }));
  expect([error.reason, error.code]).toEqual(["conflict", "in_use"]);
  const server = serveControl({ directory: dir.directory, name: NAME, handle: echo, replaceStale: true });
  expect(await requestControl({ directory: dir.directory, name: NAME, request: { op: "x" }, timeoutMs: 5_000 })).toMatchObject({ asked: { op: "x" } });
  await server.stop();
});

test("what is no socket is never replaced", async () => {
  using dir = pinnedTempDir();
  writeFileSync(join(dir.directory.path, NAME), "precious");
  const error = await appErrorOf(() => serveControl({ directory: dir.directory, name: NAME, handle: echo, replaceStale: true }));
  expect(error.code).toBe("in_use");
});

test("an owner that dies before it answers is no answer", async () => {
  using dir = pinnedTempDir();
  using owner = await startOwner(dir.directory);
  const error = await appErrorOf(() => requestControl({ directory: dir.directory, name: NAME, request: { op: "die" }, timeoutMs: 5_000 }));
  expect([error.reason, error.code]).toEqual(["conflict", "no_answer"]);
  await owner.exited;
});

test("the signal of a request is aborted when its client goes, and when the server stops", async () => {
  using dir = pinnedTempDir();
  const signals: AbortSignal[] = [];
  const server = serveControl({
    directory: dir.directory,
    name: NAME,
    handle(_request, signal) {
      signals.push(signal);
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped")));
    },
  });
  const ask = (timeoutMs: number) => requestControl({ directory: dir.directory, name: NAME, request: { op: "wait" }, timeoutMs });
  expect((await appErrorOf(() => ask(20))).code).toBe("no_answer");
  await waitFor(() => signals[0]?.aborted);
  const second = ask(5_000);
  await waitFor(() => signals.length === 2);
  expect(signals[1]?.aborted).toBe(false);
  await server.stop();
  expect(await second).toBe("stopped");
});

/** A process that serves the socket, killed at the end of the `using` scope at the latest. */
async function startOwner(directory: PinnedDirectory): Promise<{ readonly pid: number; readonly exited: Promise<number>; [Symbol.dispose](): void }> {
  const owner = Bun.spawn([process.execPath, join(import.meta.dir, "../fixtures/serve-count.ts"), directory.path], { stdout: "pipe", stderr: "ignore" });
  const { value } = await owner.stdout.getReader().read();
  expect(Buffer.from(value ?? []).toString()).toBe("ready\n");
  return { pid: owner.pid, exited: owner.exited, [Symbol.dispose]: () => owner.kill("SIGKILL") };
}

/** The way a killed owner does. */
async function leaveSocketBehind(directory: PinnedDirectory): Promise<void> {
  const owner = await startOwner(directory);
  owner[Symbol.dispose]();
  await owner.exited;
  expect(readdirSync(directory.path)).toEqual([NAME]);
}

test("a client that gives up learns no outcome, and the handler knows that it has gone", async () => {
  using dir = pinnedTempDir();
  const seen = Promise.withResolvers<AbortSignal>();
  const server = serveControl({
    directory: dir.directory,
    name: NAME,
    handle: async (_request, signal) => {
      seen.resolve(signal);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  });
  const controller = new AbortController();
  const asking = appErrorOf(() => requestControl({ directory: dir.directory, name: NAME, request: { op: "wait" }, timeoutMs: 60_000, signal: controller.signal }));
  const signal = await seen.promise;
  controller.abort();
  expect(await asking).toMatchObject({ reason: "conflict", code: "no_answer" });
  await waitFor(() => signal.aborted);
  await server.stop();
});
