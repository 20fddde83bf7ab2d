import { expect, test } from "bun:test";
import { reply, text, toolUse, type ApiReply } from "../support/api-reply.ts";
import { lastResults } from "../support/request-messages.ts";
import { startScriptedApi, type ApiRequest } from "../support/scripted-api-server.ts";
import { agentUser } from "../support/spawn-agent.ts";

/** The task that the first call of a conversation started. */
function startedTask({ text: body }: ApiRequest): string {
  return /as task (b[0-9a-z]{8})/.exec(body)?.[1] ?? "none";
}

test("a task that has ended and was announced can still be read, not be stopped, and is listed at the end", async () => {
  using user = agentUser();
  const turns: ((request: ApiRequest) => ApiReply)[] = [
    () => reply(toolUse("Bash", { command: "echo from the task", run_in_background: true }, "toolu_1")),
    () => reply(toolUse("Bash", { command: "sleep 0.3" }, "toolu_2")),
    (request) => reply(toolUse("TaskOutput", { task_id: startedTask(request), block: true }, "toolu_3"), toolUse("TaskStop", { task_id: startedTask(request) }, "toolu_4")),
    () => reply(text("done")),
    (request) => reply(toolUse("TaskOutput", { task_id: startedTask(request) }, "toolu_5")),
    () => reply(text("read again")),
  ];
  await using api = startScriptedApi({ turns });
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test-key" };
  const flags = ["--permission-mode", "bypassPermissions", "--output-format", "json"];
  const ended = await user.run(["run", ...flags, "go"], { env });
  expect(api.requests[2]?.text).toContain("<task-notification>");
  const [output, stop] = lastResults(api.requests[3]);
  expect(output).toMatchObject({ isError: false, content: expect.stringMatching(/: completed\nfrom the task\n/) });
  expect(stop).toMatchObject({ isError: true, content: expect.stringContaining("it is completed") });
  expect(JSON.parse(ended.stdout)).toMatchObject({ result: "done", children: [{ type: "local_bash", status: "completed", exit_code: 0 }] });

  // In the next run of the conversation as well.
  await user.run(["run", "-c", ...flags, "again"], { env });
  expect(lastResults(api.requests[5])).toMatchObject([{ isError: false, content: expect.stringContaining("from the task") }]);
});
