import { describe, expect, test } from "bun:test";
import { ANSWER_REMINDERS_MAX, createStructuredAnswer } from "../../src/core/structured-answer.ts";
import { exitFor } from "../../src/core/exit-code.ts";
import type { Message } from "../../src/core/message.ts";
import { confirmMessages } from "../../src/engine/confirm-messages.ts";
import { confirmNotices } from "../../src/engine/due-notices.ts";
import { endTask } from "../../src/engine/end-task.ts";
import { recoveredResult } from "../../src/engine/recovered-result.ts";
import { registerTask } from "../../src/engine/register-task.ts";
import { createWakeup } from "../../src/lib/wakeup.ts";
import { createRootInput } from "../../src/runtime/root-input.ts";
import { createRunEvents } from "../../src/runtime/run-events.ts";
import { NO_WORK } from "../../src/runtime/run-outcome.ts";
import { runResultBody } from "../../src/runtime/run-result.ts";
import { latestRunSettings } from "../../src/runtime/saved-run-settings.ts";
import { withAnswerInstruction } from "../../src/runtime/structured/answer-instruction.ts";
import { createStructuredOutput } from "../../src/runtime/structured/structured-output.ts";
import { sampleTask, taskId } from "../support/sample-task.ts";
import { reply, runScriptedQuery, testTool, type ScriptedReply } from "../support/scripted-query.ts";
import { testTaskHost, type TestTaskHost } from "../support/test-task-host.ts";

const ROOT = taskId("a00000000");
const SCHEMA = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
const GOOD = { tool: "SyntheticOutput", input: { ok: true } };
const BAD = { tool: "SyntheticOutput", input: { ok: 1 } };

/** The real loop with the real input and tool. */
async function converse(host: TestTaskHost, replies: readonly ScriptedReply[], { onLook = async () => undefined }: { readonly onLook?: () => Promise<unknown> } = {}) {
  const answer = createStructuredAnswer();
  const news = createWakeup();
  host.onStateChange(() => news.wake());
  const rootInput = createRootInput({
    agentId: ROOT,
    run: { host, ledger: host.ledger, news },
    signal: new AbortController().signal,
    policy: { onEnd: "wait", drainTimeoutMs: 5_000 },
    reminder: answer.reminder,
  });
  const structured = createStructuredOutput({ schema: SCHEMA, answer, agentId: ROOT, input: rootInput });
  const ran: string[] = [];
  const look = testTool("Look", async ({ value = "" }) => {
    await onLook();
    ran.push(value);
    return "seen";
  });
  const done = await runScriptedQuery(replies, {
    tools: [look, structured.tool],
    input: structured.input,
    answer: structured.answer,
    record: async (_message, deliveryIds) => {
      await confirmMessages(ROOT, deliveryIds, host);
      await confirmNotices(ROOT, deliveryIds, host);
    },
  });
  const text = done.stop.type === "end_turn" ? done.stop.text : "";
  return { ...done, ran, isClosed: rootInput.isClosed(), outcome: structured.settle({ ...NO_WORK, reason: "ok", text }, "last") };
}

const texts = (message: Message | undefined) => JSON.stringify(message?.content);

describe("the loop ends with the answer", () => {
  test("without another request, and other calls of the reply run before, in their order", async () => {
    using host = testTaskHost();
    const done = await converse(host, [reply({ id: "1", ...GOOD }, { id: "2", tool: "Look", input: { value: "a" } }, { id: "3", tool: "Look", input: { value: "b" } })]);
    expect(done.requests).toHaveLength(1);
    expect([done.ran, done.isClosed]).toEqual([["a", "b"], true]);
    expect(done.outcome).toMatchObject({ reason: "ok", text: '{"ok":true}', structuredOutput: { value: { ok: true } } });
  });

  test("after one that did not fit, whose problems the model reads", async () => {
    using host = testTaskHost();
    const done = await converse(host, [reply({ id: "1", ...BAD }), reply({ id: "2", ...GOOD })]);
    expect(texts(done.requests[1]?.messages.at(-1))).toContain("- /ok: must be boolean");
    expect(done.outcome).toMatchObject({ reason: "ok", text: '{"ok":true}' });
  });
});

describe("without an answer", () => {
  test("the model is reminded, then the run fails with its last words", async () => {
    using host = testTaskHost();
    const done = await converse(host, Array.from({ length: ANSWER_REMINDERS_MAX + 1 }, (_each, index) => reply(`end ${index}`)));
    expect(done.requests.slice(1).every(({ messages }) => texts(messages.at(-1)).includes("your answer is still missing"))).toBe(true);
    expect(done.isClosed).toBe(true);
    expect(done.outcome).toMatchObject({ reason: "schema", text: "end 3", error: { code: "schema", message: "The model ended its turn 4 times without giving an answer through SyntheticOutput" } });
    expect(done.outcome.structuredOutput).toBeUndefined();
  });

  test("that fits in five tries the run fails at once", async () => {
    using host = testTaskHost();
    const done = await converse(host, Array.from({ length: 5 }, (_each, index) => reply({ id: String(index), ...BAD })));
    expect(done.outcome).toMatchObject({ reason: "schema", text: "last", error: { code: "schema" } });
  });

  test("what went wrong before says more", () => {
    const structured = createStructuredOutput({ schema: SCHEMA, answer: createStructuredAnswer(), agentId: ROOT, input: { pending: async () => [], next: async () => undefined, turnSignal: () => new AbortController().signal } });
    const outcome = { ...NO_WORK, reason: "budget", text: "part" } as const;
    expect(structured.settle(outcome, "last")).toEqual(outcome);
  });
});

describe("what comes in", () => {
  test("together with the answer is heard, and the answer stands", async () => {
    using host = testTaskHost();
    const say = () => host.ledger.insertMessage({ messageId: "m1", taskId: ROOT, text: "one more thing", sentAt: 1 });
    const done = await converse(host, [reply({ id: "1", tool: "Look" }, { id: "2", ...GOOD }), reply("nothing changes")], { onLook: say });
    const [asked] = done.requests.slice(1);
    expect(texts(asked?.messages.at(-1))).toContain("one more thing");
    expect(texts(asked?.messages.at(-1))).toContain("stands. Where this changes it");
    expect(done.outcome).toMatchObject({ reason: "ok", text: '{"ok":true}' });
  });

  test("after the answer may lead to more work and another answer", async () => {
    using host = testTaskHost();
    let isFirst = true;
    const say = async () => {
      if (isFirst) await host.ledger.insertMessage({ messageId: "m1", taskId: ROOT, text: "look again", sentAt: 1 });
      isFirst = false;
    };
    const replies = [reply({ id: "1", tool: "Look" }, { id: "2", ...GOOD }), reply({ id: "3", tool: "Look" }), reply({ id: "4", tool: "SyntheticOutput", input: { ok: false } })];
    const done = await converse(host, replies, { onLook: say });
    expect(done.outcome).toMatchObject({ reason: "ok", text: '{"ok":false}' });
  });

  test("from background work is awaited before a reminder", async () => {
    using host = testTaskHost();
    const task = sampleTask({ id: taskId("a11111111"), type: "local_agent", parentTaskId: ROOT, isBackgrounded: true });
    await registerTask(task, host, { durable: false });
    const ending = async () => {
      setTimeout(() => void endTask(task.id, { status: "completed", exit: exitFor("ok") }, host, { isSilent: false }), 50);
    };
    const done = await converse(host, [reply({ id: "1", tool: "Look" }), reply("I wait"), reply({ id: "2", ...GOOD })], { onLook: ending });
    expect(texts(done.requests[2]?.messages.at(-1))).toContain("<task-notification>");
    expect(texts(done.requests[2]?.messages.at(-1))).not.toContain("still missing");
  });
});

describe("on record", () => {
  const root = sampleTask({ id: ROOT, type: "local_agent", status: "completed", exit: exitFor("ok") });

  test("the answer is still there where the owner could not write the last event", () => {
    const tasks = [root];
    expect(recoveredResult({ root: { ...root, detail: { result: '{"ok":true}', isStructured: true } }, tasks })).toMatchObject({ result: '{"ok":true}', structured_output: { ok: true } });
    // Prose that looks like one is none.
    expect(recoveredResult({ root: { ...root, detail: { result: '{"ok":true}' } }, tasks })).toMatchObject({ structured_output: null });
  });

  test("an answer that is too large for a line stands in the file that the line names", () => {
    const value = { text: "x".repeat(1_048_576) };
    const lines: string[] = [];
    const stored: string[] = [];
    const runEvents = createRunEvents({
      runId: "r",
      now: () => 0,
      prologue: () => ({ type: "log", task_id: ROOT, parent_task_id: null, level: "info", message: "" }),
      append: (line) => void lines.push(line),
      store: (_seq, payload) => (stored.push(payload), "file"),
      onEvent: () => undefined,
      onFailure: () => undefined,
    });
    const outcome = { ...NO_WORK, reason: "ok", text: JSON.stringify(value), structuredOutput: { value } } as const;
    const result = runEvents.emitResult(runResultBody({ root, outcome, tasks: [root], durationMs: 1, warnings: [] }));
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ structured_output: null, result: "", ref: { file: "file" } });
    expect(JSON.parse(stored[0] ?? "")).toMatchObject({ structured_output: value });
    expect(result.structured_output).toBe(value);
  });

  test("a run that is gone on with owes an answer of the same schema, and is told so once", () => {
    const entry = { type: "system", subtype: "run_started", model: "m", cwd: "/", directories: ["/"], permissionMode: "default", rules: [], outputSchema: SCHEMA };
    expect(latestRunSettings([entry as never])?.outputSchema).toEqual(SCHEMA);
    const work = { outputSchema: SCHEMA } as never;
    const system = withAnswerInstruction(["a", "b"], work);
    expect(system).toEqual(["a", "b", expect.stringContaining("SyntheticOutput")]);
    expect(withAnswerInstruction(system, work)).toBe(system);
    expect(withAnswerInstruction(["a"], {} as never)).toEqual(["a"]);
  });
});
