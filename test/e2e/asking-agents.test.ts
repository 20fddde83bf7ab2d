import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { agentCall, bash, service, startRoles, taskRows } from "../support/agent-roles.ts";
import { reply, text } from "../support/api-reply.ts";
import { executable } from "../support/executable.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { startInTerminal, type TerminalProgram } from "../support/terminal.ts";
import { waitFor } from "../support/wait-for.ts";

const REPORT = "Scope: all\nResult: done\nFiles: none\nIssues: none";

function startAsking(user: AgentUser, env: Readonly<Record<string, string>>): TerminalProgram {
  return startInTerminal([executable(), "run", "ROOT go"], { cwd: user.project, env: { ...user.env, ...env } });
}

function questions(program: TerminalProgram): number {
  return program.shown().split("Answer ").length - 1;
}

async function answer(program: TerminalProgram, keys: string): Promise<void> {
  await waitFor(() => questions(program) === 1 && /Answer [^\n]*: $/.test(program.shown()), { what: "a question" });
  program.type(keys);
}

test("a person is told which agent asks, and what they allow one of them holds for the others", async () => {
  using user = agentUser();
  await using api = startRoles({
    ROOT: [reply(agentCall("ONE work", { name: "rev" })), reply(agentCall("TWO work")), reply(text("done"))],
    ONE: [bash("touch made-1"), reply(text("1"))],
    TWO: [bash("touch made-1"), reply(text("2"))],
  });
  const program = startAsking(user, service(api));
  await answer(program, "r\n");
  expect(await program.exited).toBe(0);
  expect(program.shown()).toContain("agent: Bash of agent rev needs an approval");
  expect([questions(program), existsSync(join(user.project, "made-1"))]).toEqual([1, true]);
  const rows = await taskRows(user);
  const [root, asking] = [rows.find(({ parentTaskId }) => parentTaskId === null)?.id ?? "", rows.find(({ name }) => name === "rev")?.id ?? ""];
  const events = (await user.run(["events", root])).stdout.trim().split("\n").map((line) => JSON.parse(line) as { readonly type: string; readonly task_id: string });
  expect(events.filter(({ type }) => type.startsWith("permission.")).map(({ type, task_id: id }) => [type, id])).toEqual([
    ["permission.requested", asking],
    ["permission.resolved", asking],
  ]);
});

test("a fork asks although nobody waits for it; another agent in the background is refused", async () => {
  for (const [isFork, asked] of [[true, 1], [false, 0]] as const) {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("PART work", { run_in_background: true })), reply(text("waiting")), reply(text("done"))],
      PART: [bash("touch made"), reply(text(REPORT))],
    });
    const program = startAsking(user, { ...service(api), ...(isFork ? { AGENT_FORK_SUBAGENTS: "1" } : {}) });
    if (isFork) await answer(program, "y\n");
    await program.exited;
    expect([questions(program), existsSync(join(user.project, "made"))]).toEqual([asked, isFork]);
  }
});
