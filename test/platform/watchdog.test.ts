import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { StartedProcess } from "../../src/core/supervision.ts";
import { missingForWatchdog, startWatchdog, type Watchdog } from "../../src/platform/watchdog.ts";
import { isAlive, uniqueMark } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

interface Watched extends Disposable {
  readonly watchdog: Watchdog;
  readonly failures: string[];
  /** One that the watchdog would end. */
  readonly bystander: Bun.Subprocess;
}

function watched(spawn: <Child extends StartedProcess>(start: () => Child) => Child = (start) => start()): Watched {
  const failures: string[] = [];
  const variable = uniqueMark();
  const [name = "", value = ""] = variable.split("=");
  const bystander = Bun.spawn(["sleep", "60"], { env: { PATH: process.env["PATH"], [name]: value } });
  const watchdog = startWatchdog({ trace: { variable }, spawn, onFailure: (reason) => failures.push(reason) });
  return {
    watchdog,
    failures,
    bystander,
    [Symbol.dispose]() {
      watchdog.dismiss();
      bystander.kill("SIGKILL");
    },
  };
}

test("a watchdog that is dismissed goes at once and ends nothing", async () => {
  using run = watched();
  const pid = run.watchdog.pid() ?? 0;
  expect(isAlive(pid)).toBe(true);
  run.watchdog.dismiss();
  await waitFor(() => !isAlive(pid));
  expect([isAlive(run.bystander.pid), run.failures]).toEqual([true, []]);
});

test("a watchdog leads a session of its own, works in no directory of ours, and no terminal's signal ends it", async () => {
  using run = watched();
  const pid = run.watchdog.pid() ?? 0;
  await waitFor(() => Bun.file(`/proc/${pid}/status`).text().then((status) => /^SigIgn:\t0*4007$/m.test(status)));
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) process.kill(pid, signal);
  const { stdout } = Bun.spawnSync(["ps", "-o", "sid=,args=", "-p", String(pid)]);
  expect(stdout.toString().trim()).toStartWith(`${pid} /bin/sh -c eval "$AGENT_WATCHDOG" agent-watchdog  AGENT_TASK_ID=`);
  expect(Bun.spawnSync(["readlink", `/proc/${pid}/cwd`]).stdout.toString()).toBe("/\n");
  expect(run.watchdog.pid()).toBe(pid);
});

test("one that somebody ends is replaced, and that ends nothing else", async () => {
  using run = watched();
  const first = run.watchdog.pid() ?? 0;
  process.kill(first, "SIGKILL");
  const second = await waitFor(() => ![undefined, first].includes(run.watchdog.pid()) && run.watchdog.pid());
  expect([isAlive(second), isAlive(run.bystander.pid), run.failures]).toEqual([true, true, []]);
});

test("one that ends again and again is given up, and that is said once", async () => {
  const pids = new Set<number>();
  using run = watched((start) => {
    const child = start();
    pids.add(child.pid);
    process.kill(child.pid, "SIGKILL");
    return child;
  });
  await waitFor(() => run.failures.length > 0);
  expect([run.failures, pids.size, run.watchdog.pid()]).toEqual([["it ended 20 times"], 20, undefined]);
});

test("one that cannot be started is said", () => {
  using run = watched(() => {
    throw new Error("there is no shell");
  });
  expect(run.failures).toEqual(["there is no shell"]);
});

test("programs that it needs are looked for where the system has them, and in the search path", () => {
  using dir = tempDir();
  const bin = join(dir.path, "bin");
  mkdirSync(bin);
  symlinkSync("/bin/true", join(bin, "grep"));
  expect(missingForWatchdog({ PATH: "" })).toEqual([]);
  expect(missingForWatchdog({ PATH: bin }, { systemPath: bin })).toEqual(["sleep"]);
});
