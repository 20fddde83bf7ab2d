import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentUser } from "../support/spawn-agent.ts";

const HI = [{ reply: [{ text: "hi" }] }];

test("the last message is on stdout and in the file that was asked for", async () => {
  using user = agentUser();
  const ended = await user.run(["run", "-o", "answer.txt", "-m", user.script(HI), "go"]);
  expect([ended.stdout, readFileSync(join(user.project, "answer.txt"), "utf8"), ended.exitCode]).toEqual(["hi\n", "hi\n", 0]);
});

test("a file that cannot be made is noticed before the model is asked", async () => {
  using user = agentUser();
  const ended = await user.run(["run", "-o", "no/such/answer.txt", "-m", user.script(HI), "go"]);
  expect([ended.exitCode, ended.stdout]).toEqual([2, ""]);
  expect(ended.stderr).toContain("--output-last-message");
  expect((await user.run(["ps", "-aq"])).stdout).toBe("");
});

test("a run in the background refuses the file instead of forgetting it", async () => {
  using user = agentUser();
  const ended = await user.run(["run", "-d", "-o", "answer.txt", "-m", user.script(HI), "go"]);
  expect([ended.exitCode, ended.stdout]).toEqual([2, ""]);
  expect(ended.stderr).toContain("agent wait");
});

test("a file that cannot be written makes the run a failure, on record as in its result", async () => {
  using user = agentUser();
  const ended = await user.run(["run", "-o", "/dev/full", "--output-format", "json", "-m", user.script(HI), "go"]);
  expect(JSON.parse(ended.stdout)).toMatchObject({ status: "failed", exit: { code: 14, reason: "storage" }, result: "hi" });
  expect(ended.exitCode).toBe(14);
  const [task] = JSON.parse((await user.run(["ps", "-a", "--json"])).stdout) as { status: string }[];
  expect(task?.status).toBe("failed");
});
