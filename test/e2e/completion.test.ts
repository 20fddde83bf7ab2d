import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";

/** What bash offers for the last of the words; bash itself takes "=" for a word of its own. */
async function offered(user: AgentUser, ...words: readonly string[]): Promise<string[]> {
  const quoted = ["agent", ...words].map((word) => `'${word}'`).join(" ");
  const script = `source <(agent completion bash); COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _agent; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = await user.shell(script);
  expect(stderr).toBe("");
  return stdout.split("\n").filter((word) => word !== "");
}

test("bash accepts the script and uses it for the program", async () => {
  using user = agentUser();
  const { stdout, stderr, exitCode } = await user.shell("agent completion bash > agent.bash; bash -n agent.bash && source ./agent.bash && complete -p agent");
  expect([exitCode, stdout, stderr]).toEqual([0, "complete -F _agent agent\n", ""]);
});

test("commands, flags and the values of flags are completed", async () => {
  using user = agentUser();
  expect(await offered(user, "in")).toEqual(["interrupt", "inspect"]);
  expect(await offered(user, "help", "comp")).toEqual(["completion"]);
  expect(await offered(user, "run", "--per")).toEqual(["--permission-mode"]);
  expect(await offered(user, "run", "--permission-mode", "acc")).toEqual(["acceptEdits"]);
  expect(await offered(user, "run", "--permission-mode", "=", "acc")).toEqual(["acceptEdits"]);
  expect(await offered(user, "run", "--output-format", "=")).toEqual(["text", "json", "stream-json"]);
  expect(await offered(user, "completion", "")).toEqual(["bash", "zsh", "fish"]);
  expect(await offered(user, "config", "ex")).toEqual(["explain"]);
  expect(await offered(user, "nonsense", "")).toEqual([]);
});

test("ids are those of the tasks on record, at each place where a task may stand and at no other", async () => {
  using user = agentUser();
  const script = user.script([{ reply: [{ text: "one" }] }], { repeatLast: true });
  for (const prompt of ["a", "b"]) await user.run(["run", "-m", script, prompt]);
  const ids = (await user.run(["ps", "-aq"])).stdout.trim().split("\n");
  expect(ids).toHaveLength(2);
  expect(await offered(user, "logs", "")).toEqual(ids);
  expect(await offered(user, "logs", ids[0]?.slice(0, 5) ?? "")).toEqual(ids.slice(0, 1));
  expect(await offered(user, "wait", "--timeout", "10s", ids[0] ?? "", "")).toEqual(ids);
  expect(await offered(user, "run", "-r", "")).toEqual(ids);
  expect(await offered(user, "resume", "--model", "haiku", "")).toEqual(ids);
  expect(await offered(user, "resume", "--model", "=", "haiku", "")).toEqual(ids);
  expect(await offered(user, "resume", ids[0] ?? "", "")).toEqual([]);
  expect(await offered(user, "logs", "--tail", "")).toEqual([]);
});

test("folders and files are completed where they are wanted, whatever their names", async () => {
  using user = agentUser();
  mkdirSync(join(user.project, "my folder"));
  writeFileSync(join(user.project, "my * file"), "");
  expect(await offered(user, "run", "--cwd", "my")).toEqual(["my folder"]);
  expect((await offered(user, "run", "--prompt-file", "my")).toSorted()).toEqual(["my * file", "my folder"]);
  expect((await offered(user, "run", "--exec", "--", "my")).toSorted()).toEqual(["my * file", "my folder"]);
});
