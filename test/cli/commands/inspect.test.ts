import { expect, test } from "bun:test";
import { join } from "node:path";
import { commandState } from "../../support/command-state.ts";

test("the whole record is there, with its run and where its files are", async () => {
  using state = commandState();
  const agent = await state.add("a00000001", { type: "local_agent", name: "lead", detail: { model: "m", transcriptPath: "/state/t.jsonl" } });
  const { code, stdout } = await state.run("inspect", "lead");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([
    {
      id: agent.id,
      detail: { model: "m" },
      run: { id: "run-1", pid: process.pid, version: "0.1.0" },
      transcriptPath: "/state/t.jsonl",
      eventsFile: join(state.path, "sessions", "session-1", "events", "run-1.ndjson"),
      processes: [],
    },
  ]);
});

test("ids, beginnings, names, run and session ids all mean the task; each is shown once, in the order given", async () => {
  using state = commandState();
  await state.add("a12345678", { name: "lead", runId: "run-abc", sessionId: "session-abc" });
  await state.add("b12345678");
  const ids = async (...references: string[]) => JSON.parse((await state.run("inspect", ...references)).stdout).map((task: { id: string }) => task.id);
  expect(await ids("b123", "a12345678", "lead", "run-abc", "session-abc", "a1234")).toEqual(["b12345678", "a12345678"]);
});

test("what means no task is 7, what means several is 2 with all of them, and no word is 2", async () => {
  using state = commandState();
  await state.add("b11110001");
  await state.add("b11110002");
  expect(await state.run("inspect", "nope")).toEqual({ code: 7, stdout: "", stderr: 'agent: No task "nope"; "agent ps -a" lists all\n' });
  expect(await state.run("inspect", "b11")).toMatchObject({ code: 7, stderr: expect.stringContaining("at least 4 characters") });
  expect(await state.run("inspect", "b111")).toMatchObject({ code: 2, stderr: 'agent: "b111" is not one task but several: b11110001, b11110002\n' });
  expect(await state.run("inspect")).toMatchObject({ code: 2, stdout: "" });
});
