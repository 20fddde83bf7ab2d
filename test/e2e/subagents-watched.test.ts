import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { agentCall, bash, gate, service, startRoles, taskRows } from "../support/agent-roles.ts";
import { reply, text } from "../support/api-reply.ts";
import { executable } from "../support/executable.ts";
import { lastResults } from "../support/request-messages.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { startInTerminal, type TerminalProgram } from "../support/terminal.ts";
import { waitFor } from "../support/wait-for.ts";

describe("at a terminal", () => {
  test("the words of a subagent are not shown as the root's", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(text("I let somebody look."), agentCall("CHILD look")), reply(text("The end."))], CHILD: [reply(text("WORDS OF THE CHILD"))] });
    const program = start(user, api, ["ROOT go"]);
    expect(await program.exited).toBe(0);
    expect(program.shown()).toContain("The end.");
    expect(program.shown()).not.toContain("WORDS OF THE CHILD");
  });

  test("a person is asked about the call of an agent that is waited for, and not of one in the background", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("BEHIND make", { run_in_background: true }), agentCall("BEFORE make")), reply(text("waiting")), reply(text("done"))],
      BEHIND: [bash("touch behind"), reply(text("behind"))],
      BEFORE: [bash("touch before"), reply(text("before"))],
    });
    const program = start(user, api, ["ROOT go"]);
    await waitFor(() => questions(program) === 1);
    program.type("y\n");
    expect(await program.exited).toBe(0);
    expect([existsSync(join(user.project, "before")), existsSync(join(user.project, "behind")), questions(program)]).toEqual([true, false, 1]);
  });

  test("what is asked for an agent with a stricter mode is not settled by the mode of its parent", async () => {
    using user = agentUser();
    const definition = JSON.stringify({ careful: { description: "Careful", prompt: "Be careful.", permissionMode: "default" } });
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD make", { subagent_type: "careful" })), reply(text("done"))], CHILD: [bash("touch made"), reply(text("made"))] });
    const program = start(user, api, ["--permission-mode", "bypassPermissions", "--agents", definition, "ROOT go"]);
    await waitFor(() => questions(program) === 1);
    expect(existsSync(join(user.project, "made"))).toBe(false);
    program.type("n\n");
    expect(await program.exited).toBe(0);
    expect(lastResults(api.of("ROOT")[1])[0]?.content).toContain("1 of its calls were refused");
  });

  test("stopping an agent that waits for an answer ends the question, and the run goes on", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD make")), reply(text("without it"))], CHILD: [bash("touch made"), reply(text("made"))] });
    const program = start(user, api, ["ROOT go"]);
    await waitFor(() => questions(program) === 1);
    const child = (await taskRows(user)).find(({ parentTaskId }) => parentTaskId !== null)?.id ?? "";
    expect((await user.run(["stop", child])).exitCode).toBe(0);
    expect(await program.exited).toBe(0);
    expect([existsSync(join(user.project, "made")), program.shown().includes("without it")]).toEqual([false, true]);
  });
});

test("a recording holds what the root gets of its agents, and nothing of their own work", async () => {
  using user = agentUser();
  const goes = gate();
  await using api = startRoles({
    ROOT: [reply(agentCall("BEHIND work", { run_in_background: true })), reply(agentCall("CHILD look")), () => (goes.open(), reply(text("waiting"))), reply(text("the end"))],
    BEHIND: [async () => (await goes.opened, reply(text("from behind")))],
    CHILD: [bash("echo from the child"), reply(text("forty-two"))],
  });
  const flags = ["--output-format", "stream-json", "--permission-mode", "bypassPermissions"];
  const recorded = await user.run(["run", ...flags, "--record", "../home/t.cassette", "ROOT go"], { env: service(api) });
  expect([recorded.exitCode, runResult(recorded.stdout).result]).toEqual([0, "the end"]);
  const count = api.requests.length;
  const replayed = await user.run(["run", ...flags, "--replay", "../home/t.cassette", "ROOT go"], { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } });
  expect([replayed.exitCode, runResult(replayed.stdout).result, api.requests.length]).toEqual([0, "the end", count]);
  const said = (stream: string) => eventsOfType(events(stream), "message.completed").length;
  expect(said(replayed.stdout)).toBe(said(recorded.stdout));
});

function start(user: AgentUser, api: { readonly url: string }, args: readonly string[]): TerminalProgram {
  return startInTerminal([executable(), "run", ...args], { env: { ...user.env, ...service(api) }, cwd: user.project });
}

function questions(program: TerminalProgram): number {
  return program.shown().split("[n] no").length - 1;
}
