import { expect, test } from "bun:test";
import { userText } from "../../src/core/message.ts";
import { EMPTY_MIRROR } from "../../src/core/task-mirror.ts";
import { mirrorMessage } from "../../src/engine/mirror-message.ts";
import { registerTask } from "../../src/engine/register-task.ts";
import { sampleTask, taskId } from "../support/sample-task.ts";
import { testTaskHost } from "../support/test-task-host.ts";

test("of the messages of an agent the latest fifty are in memory (S-161)", async () => {
  using host = testTaskHost();
  const agent = sampleTask({ id: taskId("a11111111"), type: "local_agent", mirror: EMPTY_MIRROR });
  await registerTask(agent, host, { durable: false });
  for (let index = 1; index <= 120; index++) mirrorMessage(agent.id, host.setAppState, userText(String(index)));
  const messages = host.getAppState().tasks[agent.id]?.mirror?.messages ?? [];
  expect(messages).toHaveLength(50);
  expect([messages[0], messages.at(-1)]).toEqual([userText("71"), userText("120")]);
});

test("a shell has no messages, and a task that is not there none either", async () => {
  using host = testTaskHost();
  const shell = sampleTask();
  await registerTask(shell, host, { durable: false });
  const before = host.getAppState();
  mirrorMessage(shell.id, host.setAppState, userText("x"));
  mirrorMessage(taskId("a99999999"), host.setAppState, userText("x"));
  expect(host.getAppState()).toBe(before);
});
