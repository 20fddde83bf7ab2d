import { expect, test } from "bun:test";
import { existsSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import type { PipeReader } from "../../src/platform/pipe.ts";
import { type SpawnedShell, spawnShell } from "../../src/platform/spawn-shell.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf } from "../support/thrown.ts";

const ENV = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };

function spawnScript(script: string, cwd = "/"): SpawnedShell {
  return spawnShell({ argv: ["/bin/bash", "-c", script], cwd, env: ENV });
}

async function readAll(reader: PipeReader): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function outputOf(script: string, cwd = "/"): Promise<{ out: string; err: string }> {
  const shell = spawnScript(script, cwd);
  const [out, err] = await Promise.all([readAll(shell.stdout), readAll(shell.stderr)]);
  await shell.exited;
  return { out, err };
}

test("a shell leads a session and a group of its own", async () => {
  const shell = spawnScript("cut -d' ' -f5,6 /proc/self/stat");
  expect(await readAll(shell.stdout)).toBe(`${shell.identity.pid} ${shell.identity.pid}\n`);
  expect(await shell.exited).toEqual({ exitCode: 0, signal: null });
});

test("children ignore and block no signals, so that a broken pipe ends them", async () => {
  const { out } = await outputOf("grep -E 'Sig(Ign|Blk)' /proc/self/status; yes | head -1; echo ${PIPESTATUS[@]}");
  expect(out.replaceAll(/\s+/g, " ")).toBe("SigBlk: 0000000000000000 SigIgn: 0000000000000000 y 141 0 ");
});

test("children inherit descriptors 0 to 2 alone (V-238)", async () => {
  const { out } = await outputOf("ls /proc/self/fd");
  // The fourth is the directory that ls reads.
  expect(out).toBe("0\n1\n2\n3\n");
});

test("output can be opened by path: it is a pipe, no socket", async () => {
  const { out, err } = await outputOf("echo one >/dev/stdout; echo two >/dev/stderr; echo three | tee /dev/stderr");
  expect([out, err]).toEqual(["one\nthree\n", "two\nthree\n"]);
});

test("stdin is empty", async () => {
  expect(await outputOf("cat; read -r line; echo status $?")).toEqual({ out: "status 1\n", err: "" });
});

test("there is no terminal to ask on (A24)", async () => {
  expect((await outputOf("read -r x </dev/tty || echo none")).out).toBe("none\n");
});

test("a signal that ends the shell is named", async () => {
  expect(await spawnScript("kill -9 $$").exited).toEqual({ exitCode: null, signal: "SIGKILL" });
  expect(await spawnScript("exit 7").exited).toEqual({ exitCode: 7, signal: null });
});

test("a directory that is gone is told apart from a missing program (A26)", async () => {
  using dir = tempDir();
  const cwd = join(dir.path, "gone");
  expect(await appErrorOf(() => spawnScript("true", cwd))).toMatchObject({ reason: "not_found", code: "cwd_gone" });
  const missing = await appErrorOf(() => spawnShell({ argv: ["/no/such/program"], cwd: dir.path, env: ENV }));
  expect(missing).toMatchObject({ reason: "failed", code: "spawn_failed" });
  expect(missing.message).toBe('Cannot start "/no/such/program": there is no such program');
  expect(existsSync(cwd)).toBe(false);
});

test("a command that is too long for the system is refused with what to do", async () => {
  const error = await appErrorOf(() => spawnScript(`true ${"x".repeat(4_000_000)}`));
  expect(error.message).toContain("write the command to a file");
});

test("a directory that is removed under a running shell does not stop it", async () => {
  using dir = tempDir();
  const cwd = join(dir.path, "removed");
  Bun.spawnSync(["mkdir", cwd]);
  const shell = spawnScript("read -r x < <(sleep 0.05); /bin/echo still here", cwd);
  rmdirSync(cwd);
  expect(await readAll(shell.stdout)).toBe("still here\n");
});
