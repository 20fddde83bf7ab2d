import { expect, test } from "bun:test";
import type { PipeReader } from "../../src/platform/pipe.ts";
import { pumpOutput } from "../../src/platform/pump-output.ts";
import { spawnShell } from "../../src/platform/spawn-shell.ts";
import { waitFor } from "../support/wait-for.ts";

/** A reader that is fed by hand. */
function handReader(): PipeReader & { push(bytes: Uint8Array): void; end(): void } {
  const queue: (Uint8Array | undefined)[] = [];
  let wake: (() => void) | undefined;
  const put = (bytes: Uint8Array | undefined) => {
    queue.push(bytes);
    wake?.();
  };
  return {
    push: put,
    end: () => put(undefined),
    async read() {
      while (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return queue.shift();
    },
    close: () => Promise.resolve(put(undefined)),
  };
}

function collect(): { readonly sink: (bytes: Uint8Array) => void; readonly text: () => string } {
  const chunks: Uint8Array[] = [];
  return { sink: (bytes) => void chunks.push(bytes.slice()), text: () => Buffer.concat(chunks).toString("latin1") };
}

const EMOJI = Buffer.from("😀");

test("a line of the other stream does not get between the halves of a character (A08)", async () => {
  const [out, err] = [handReader(), handReader()];
  const seen = collect();
  const pump = pumpOutput([out, err], seen.sink);
  out.push(EMOJI.subarray(0, 1));
  await waitFor(() => true);
  err.push(Buffer.from("warning\n"));
  await waitFor(() => seen.text() === "warning\n");
  out.push(EMOJI.subarray(1));
  out.end();
  err.end();
  await pump.ended;
  expect(seen.text()).toBe(`warning\n${EMOJI.toString("latin1")}`);
});

test("half a character whose rest does not come is handed on after a moment", async () => {
  const out = handReader();
  const seen = collect();
  const pump = pumpOutput([out], seen.sink);
  out.push(EMOJI.subarray(0, 3));
  await waitFor(() => seen.text() === EMOJI.subarray(0, 3).toString("latin1"), { timeoutMs: 2_000 });
  out.push(EMOJI.subarray(3));
  out.end();
  await pump.ended;
  expect(seen.text()).toBe(EMOJI.toString("latin1"));
});

test("half a character at the end of the stream is handed on, and no byte is changed", async () => {
  const out = handReader();
  const seen = collect();
  const pump = pumpOutput([out], seen.sink);
  const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => (index * 37) % 256);
  for (let start = 0; start < bytes.length; start += 7) out.push(bytes.subarray(start, start + 7));
  out.push(EMOJI.subarray(0, 2));
  out.end();
  await pump.ended;
  expect(seen.text()).toBe(Buffer.concat([bytes, EMOJI.subarray(0, 2)]).toString("latin1"));
});

test("a sink that takes its time slows the writer down", async () => {
  const shell = spawnShell({ argv: ["/bin/bash", "-c", "yes | head -c 20000000"], cwd: "/", env: { PATH: "/usr/bin:/bin" } });
  let isTaking = false;
  let overlaps = 0;
  let total = 0;
  const pump = pumpOutput([shell.stdout], async (bytes) => {
    if (isTaking) overlaps++;
    isTaking = true;
    await new Promise((resolve) => setImmediate(resolve));
    isTaking = false;
    total += bytes.length;
  });
  await pump.ended;
  expect({ overlaps, total }).toEqual({ overlaps: 0, total: 20_000_000 });
});

test("a flood of 300 MB passes in bounded memory and leaves everything else its turns (A10)", async () => {
  const before = process.memoryUsage.rss();
  const shell = spawnShell({ argv: ["/bin/bash", "-c", "head -c 300000000 /dev/zero"], cwd: "/", env: { PATH: "/usr/bin:/bin" } });
  let total = 0;
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  await pumpOutput([shell.stdout, shell.stderr], (bytes) => void (total += bytes.length)).ended;
  clearInterval(timer);
  expect(total).toBe(300_000_000);
  expect(ticks).toBeGreaterThan(5);
  expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
});

test("closing ends the pump although somebody holds the pipe", async () => {
  const shell = spawnShell({ argv: ["/bin/bash", "-c", "echo ok; exec sleep 60"], cwd: "/", env: { PATH: "/usr/bin:/bin" } });
  const seen = collect();
  const pump = pumpOutput([shell.stdout, shell.stderr], seen.sink);
  await waitFor(() => seen.text() === "ok\n");
  await pump.close();
  await pump.ended;
  process.kill(-shell.identity.pid, "SIGKILL");
  expect(await shell.exited).toEqual({ exitCode: null, signal: "SIGKILL" });
});
