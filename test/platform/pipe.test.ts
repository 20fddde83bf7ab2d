import { expect, test } from "bun:test";
import { readdirSync, readlinkSync, writeSync } from "node:fs";
import { openPipe } from "../../src/platform/pipe.ts";
import { waitFor } from "../support/wait-for.ts";

function openPipes(): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith("pipe:");
    } catch {
      return false;
    }
  }).length;
}

test("what is written can be read, and the end is seen", async () => {
  const pipe = openPipe();
  writeSync(pipe.writer, "abc");
  expect(Buffer.from((await pipe.reader.read()) ?? []).toString()).toBe("abc");
  pipe.closeWriter();
  expect(await pipe.reader.read()).toBeUndefined();
});

test("closing ends a read that waits", async () => {
  const pipe = openPipe();
  const waiting = pipe.reader.read();
  await pipe.reader.close();
  expect(await waiting).toBeUndefined();
  pipe.closeWriter();
});

test("two hundred idle pipes cost no threads, and leave no descriptor when they are closed", async () => {
  const before = openPipes();
  const pipes = Array.from({ length: 200 }, openPipe);
  const reads = pipes.map((pipe) => pipe.reader.read());
  const start = performance.now();
  await Bun.file("/proc/self/status").text();
  expect(performance.now() - start).toBeLessThan(1_000);
  await Promise.all(pipes.map((pipe) => pipe.reader.close()));
  await Promise.all(reads);
  for (const pipe of pipes) pipe.closeWriter();
  expect(await waitFor(() => openPipes() <= before)).toBe(true);
});
