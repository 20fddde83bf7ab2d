import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentCall, gate, inspected, service, startRoles, taskRows, told, type Said } from "../support/agent-roles.ts";
import { refusal, reply, text, toolUse } from "../support/api-reply.ts";
import { isAlive } from "../support/processes.ts";
import { lastResults } from "../support/request-messages.ts";
import { runResult } from "../support/run-events.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { taskNamed } from "../support/task-named.ts";
import { waitFor } from "../support/wait-for.ts";

const BYPASS = ["run", "--output-format", "json", "--permission-mode", "bypassPermissions"];

/** A shell in the background that never ends by itself and writes down which process it is. */
function endless(name: string) {
  return toolUse("Bash", { command: `echo $$ > ${name}.tmp; mv ${name}.tmp ${name}; exec sleep 61`, run_in_background: true, description: name }, `toolu_${name}`);
}

async function processNamed(user: AgentUser, name: string): Promise<number> {
  const file = join(user.project, name);
  await waitFor(() => existsSync(file));
  return Number(readFileSync(file, "utf8"));
}

test("a shell of an agent three levels down is listed and can be stopped by its id; with the run ends the other one", async () => {
  using user = agentUser();
  const hangs = gate();
  await using api = startRoles({
    ROOT: [reply(agentCall("ONE down")), reply(text("0"))],
    ONE: [reply(agentCall("TWO down")), reply(text("1"))],
    TWO: [reply(agentCall("THREE down", { name: "three" })), reply(text("2"))],
    THREE: [reply(endless("left"), endless("right")), async () => (await hangs.opened, reply(text("too late")))],
  });
  const running = user.start([...BYPASS, "-n", "top", "ROOT go"], { env: service(api) });
  const [left, right] = [await processNamed(user, "left"), await processNamed(user, "right")];
  const three = await taskNamed(user, "three");
  const listed = JSON.parse((await user.run(["ps", "--json"])).stdout) as { id: string; type: string; parentTaskId: string | null; description: string }[];
  const shells = listed.filter(({ type }) => type === "local_bash");
  expect(shells.map(({ parentTaskId }) => parentTaskId)).toEqual([three.id, three.id]);
  expect(new Set(shells.map(({ description }) => description))).toEqual(new Set(["left", "right"]));
  const id = shells.find(({ description }) => description === "left")?.id ?? "";
  expect(await user.run(["stop", "-v", id])).toMatchObject({ exitCode: 0, stdout: `${id}\n` });
  expect([isAlive(left), isAlive(right), (await inspected(user, id)).status]).toEqual([false, true, "killed"]);
  expect((await user.run(["stop", "top"])).exitCode).toBe(0);
  expect((await running.ended).exitCode).toBe(137);
  hangs.open();
  expect(isAlive(right)).toBe(false);
  expect((await user.run(["ps", "-q"])).stdout).toBe("");
  expect((await taskRows(user)).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => "killed"));
});

describe("what an agent leaves behind", () => {
  const ENDS: readonly (readonly [how: string, last: (opened: Promise<void>) => Said, status: string])[] = [
    ["a last message", () => reply(text("I am done")), "completed"],
    ["a request that is refused", () => refusal(400, "invalid_request_error", "not liked"), "failed"],
    ["a stop", (opened) => async () => (await opened, reply(text("too late"))), "killed"],
  ];

  test.each(ENDS)("after %s is no shell, no todo of its parent, and no file that its parent knows", async (_how, last, status) => {
    using user = agentUser();
    const hangs = gate();
    writeFileSync(join(user.project, "a.txt"), "old\n");
    writeFileSync(join(user.project, "long.txt"), "a line of a long file\n".repeat(1_000));
    const todo = (content: string) => toolUse("TodoWrite", { todos: [{ content, status: "pending" }] }, "toolu_todo");
    await using api = startRoles({
      ROOT: [
        reply(todo("STEP OF THE PARENT"), toolUse("Read", { file_path: "long.txt" })),
        reply(agentCall("CHILD work", { name: "child" })),
        reply(toolUse("Edit", { file_path: "a.txt", old_string: "old", new_string: "blind" }, "toolu_edit")),
        refusal(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
        reply(text("SUMMARY: a child was asked to work, and a file could not be edited.")),
        reply(text("the end")),
      ],
      CHILD: [reply(todo("STEP OF THE CHILD"), toolUse("Read", { file_path: "a.txt" }), endless("shell")), last(hangs.opened)],
    });
    // Long enough that taking out old results does not suffice, and it has to be summarized.
    const running = user.start([...BYPASS, `ROOT go ${"and look at everything ".repeat(3_000)}`], { env: service(api) });
    const shell = await processNamed(user, "shell");
    if (status === "killed") {
      await waitFor(() => api.of("CHILD").length === 2);
      expect(isAlive(shell)).toBe(true);
      expect((await user.run(["stop", "child"])).exitCode).toBe(0);
    }
    await waitFor(() => api.of("ROOT").length > 2);
    expect(isAlive(shell)).toBe(false);
    const ended = await running.ended;
    hangs.open();
    expect([ended.exitCode, runResult(ended.stdout).result, (await taskNamed(user, "child")).status]).toEqual([0, "the end", status]);
    // What the program itself says of the todos stands behind a summary.
    const summarized = told(api.of("ROOT").at(-1));
    expect(summarized).toContain("SUMMARY: a child");
    expect(summarized).toContain("STEP OF THE PARENT");
    expect(api.of("ROOT").filter((request) => request.text.includes("STEP OF THE CHILD"))).toEqual([]);
    const refused = lastResults(api.of("ROOT")[3])[0];
    expect([refused?.isError, /read/i.test(refused?.content ?? ""), readFileSync(join(user.project, "a.txt"), "utf8")]).toEqual([true, true, "old\n"]);
    expect((await taskRows(user)).filter((task) => task.status === "running")).toEqual([]);
  });
});
