import { expect, test } from "bun:test";
import { copyFileSync, chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { currentProcess, identifyProcess, isSameProcess } from "../../src/platform/process-identity.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

/** The second runs the way of other systems, which asks `ps`. */
const PLATFORMS: readonly NodeJS.Platform[] = ["linux", "darwin"];

test.each([...PLATFORMS])("a process is the same until it ends (%s)", async (platform) => {
  const child = Bun.spawn(["sleep", "60"]);
  const identity = identifyProcess(child.pid, platform);
  if (identity === undefined) throw new Error("The child has no identity");
  expect(identity.pid).toBe(child.pid);
  expect(identifyProcess(child.pid, platform)).toEqual(identity);
  expect(isSameProcess(identity, platform)).toBe(true);
  child.kill("SIGKILL");
  await child.exited;
  expect(isSameProcess(identity, platform)).toBe(false);
  expect(identifyProcess(child.pid, platform)).toBeUndefined();
});

test("another start time or another boot is another process", () => {
  const self = currentProcess();
  expect(self.pid).toBe(process.pid);
  expect(isSameProcess(self)).toBe(true);
  expect(isSameProcess({ ...self, startTime: `${self.startTime}0` })).toBe(false);
  expect(isSameProcess({ ...self, bootId: "earlier" })).toBe(false);
});

test("a program whose name looks like the fields behind it is read right", async () => {
  using dir = tempDir();
  const program = join(dir.path, "a) Z 1 (b");
  copyFileSync("/bin/sleep", program);
  chmodSync(program, 0o755);
  const child = Bun.spawn([program, "60"]);
  await waitFor(() => readFileSync(`/proc/${child.pid}/stat`, "latin1").includes("(a) Z 1 (b)"));
  const identity = identifyProcess(child.pid);
  if (identity === undefined) throw new Error("The child has no identity");
  expect(identity.startTime).toMatch(/^\d+$/);
  expect(isSameProcess(identity)).toBe(true);
  child.kill("SIGKILL");
  await child.exited;
});

test.each([...PLATFORMS])("a zombie has an identity and is not there any more (%s)", async (platform) => {
  // The shell never waits for its child, because it has become another program.
  const parent = Bun.spawn(["sh", "-c", "sleep 0 & echo $!; exec sleep 60"], { stdout: "pipe" });
  const { value } = await parent.stdout.getReader().read();
  const pid = Number(Buffer.from(value ?? []).toString());
  await waitFor(() => readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z "));
  const identity = identifyProcess(pid, platform);
  if (identity === undefined) throw new Error("The zombie has no identity");
  expect(isSameProcess(identity, platform)).toBe(false);
  parent.kill("SIGKILL");
  await parent.exited;
});

test.each([0, -1, 1.5, Number.NaN])("%p is no pid", (pid) => {
  expect(identifyProcess(pid)).toBeUndefined();
});
