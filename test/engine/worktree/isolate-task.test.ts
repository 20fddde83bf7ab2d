import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { AppError } from "../../../src/core/errors.ts";
import { registerTask } from "../../../src/engine/register-task.ts";
import { endTask } from "../../../src/engine/end-task.ts";
import { endIsolation, isolateTask } from "../../../src/engine/worktree/isolate-task.ts";
import { exitFor } from "../../../src/core/exit-code.ts";
import { generateTaskId } from "../../../src/platform/task-id.ts";
import { gitFixture } from "../../support/git-fixture.ts";
import { sampleTask } from "../../support/sample-task.ts";
import { testTaskHost } from "../../support/test-task-host.ts";

test("a worktree in which another task works is kept until that has ended, and looked at again then", async () => {
  using fixture = gitFixture();
  using testHost = testTaskHost();
  const host = { ...testHost, childEnv: { ...testHost.childEnv, HOME: fixture.home } };
  const id = generateTaskId("local_agent");
  const { worktree } = await isolateTask({ id, cwd: fixture.repository }, host);
  expect(host.worktrees.get(id)).toEqual(worktree);
  const child = sampleTask({ id: generateTaskId("local_bash"), type: "local_bash", status: "running", cwd: worktree.path, runId: host.runId });
  await registerTask(child, host, { durable: false });
  expect(await endIsolation(worktree, host)).toMatchObject({ kept: true, changed: false, reason: `other tasks work in it: ${child.id}` });
  expect(existsSync(worktree.path)).toBe(true);
  expect(host.worktrees.size).toBe(1);
  await endTask(child.id, { status: "completed", exit: exitFor("ok") }, host, { isSilent: true });
  expect(await endIsolation(worktree, host)).toMatchObject({ kept: false });
  expect(existsSync(worktree.path)).toBe(false);
  expect(host.worktrees.size).toBe(0);
});

test("a task that is stopped while its worktree is made leaves nothing", async () => {
  using fixture = gitFixture();
  using host = testTaskHost();
  const controller = new AbortController();
  const making = isolateTask({ id: generateTaskId("local_agent"), cwd: fixture.repository }, host, controller.signal);
  controller.abort();
  expect(await making.then(() => undefined, (error: unknown) => error)).toBeInstanceOf(AppError);
  expect(host.worktrees.size).toBe(0);
  expect(fixture.git(fixture.repository, "worktree", "list").trim().split("\n")).toHaveLength(1);
  expect(fixture.git(fixture.repository, "branch", "--list", "agent/*")).toBe("");
});
