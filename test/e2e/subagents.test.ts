import { describe, expect, test } from "bun:test";
import { reply, text, toolUse, type ApiReply } from "../support/api-reply.ts";
import { startScriptedApi, type ApiRequest } from "../support/scripted-api-server.ts";
import { agentUser } from "../support/spawn-agent.ts";

/** What each agent says, turn by turn, by the first words that it was told; the last of them again and again. */
type Roles = Readonly<Record<string, readonly (ApiReply | ((request: ApiRequest) => ApiReply | Promise<ApiReply>))[]>>;

describe("an agent that is waited for", () => {
  test("does its work in a conversation of its own; its last message is the result of the call, and what it used is counted", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agent("CHILD look around")), reply(text("the child has answered"))],
      CHILD: [reply(toolUse("Bash", { command: "echo from the child" })), reply(text("forty-two"))],
    });
    const run = await user.run(["run", "--output-format", "json", "--permission-mode", "bypassPermissions", "ROOT go"], { env: service(api) });
    const result = JSON.parse(run.stdout);
    expect([run.exitCode, result.result]).toEqual([0, "the child has answered"]);
    const [, , , last] = api.requests;
    expect(results(last)).toEqual(["forty-two"]);
    const tasks = records(await user.run(["ps", "-a", "--json"]));
    expect(tasks.map(({ type, status, parentTaskId }) => [type, status, parentTaskId !== undefined])).toEqual(expect.arrayContaining([["local_agent", "completed", false], ["local_agent", "completed", true]]));
    expect(api.requests).toHaveLength(4);
  });
});

function startRoles(roles: Roles) {
  const turns = new Map<string, number>();
  return startScriptedApi({
    turns: async (request) => {
      const told = JSON.stringify(request.body["messages"]);
      const role = Object.keys(roles).find((name) => told.includes(`"${name} `));
      if (role === undefined) return { status: 500, message: `no role for ${told.slice(0, 200)}` };
      const turn = turns.get(role) ?? 0;
      turns.set(role, turn + 1);
      const said = roles[role]?.[turn] ?? roles[role]?.at(-1);
      if (said === undefined) return { status: 500, message: `${role} has nothing to say` };
      return typeof said === "function" ? await said(request) : said;
    },
  });
}

function agent(prompt: string, more: Record<string, unknown> = {}) {
  return toolUse("Agent", { description: "a test", prompt, ...more }, `toolu_${prompt.split(" ")[0]}`);
}

function service({ url }: { readonly url: string }) {
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "test-key" };
}

function results(request: ApiRequest | undefined): unknown[] {
  const messages = request?.body["messages"];
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  return (last?.content ?? []).filter((block: { type: string }) => block.type === "tool_result").map((block: { content: unknown }) => block.content);
}

function records({ stdout }: { readonly stdout: string }): { type: string; status: string; parentTaskId?: string }[] {
  return JSON.parse(stdout);
}
