import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { reply, text, toolUse } from "../support/api-reply.ts";
import { lastResults } from "../support/request-messages.ts";
import { startScriptedApi } from "../support/scripted-api-server.ts";
import { agentUser } from "../support/spawn-agent.ts";

/** What a file of output may hold beside it. */
const NOTE_BYTES_MAX = 200;

/** What the model reads of a command, what the file that the result names begins with, and how much is kept in all. */
async function resultOf(command: string) {
  using user = agentUser();
  await using api = startScriptedApi({ turns: [reply(toolUse("Bash", { command })), reply(text("done"))] });
  const ended = await user.run(["run", "--permission-mode", "bypassPermissions", "go"], { env: { ANTHROPIC_BASE_URL: api.url } });
  expect(ended).toMatchObject({ stdout: "done\n", exitCode: 0 });
  const [{ content, isError } = { content: "", isError: false }] = lastResults(api.requests[1]);
  const file = /output .*is in (\S+\.output)/.exec(content)?.[1];
  const tasks = join(user.stateDirectory, "tasks");
  const keptBytes = readdirSync(tasks).filter((name) => name.startsWith("b")).reduce((sum, name) => sum + statSync(join(tasks, name)).size, 0);
  return { content, isError, keptBytes, file: file === undefined ? undefined : readFileSync(file) };
}

describe("what the model reads of a command's output", () => {
  test("is whole characters, although stderr came between the bytes of one (A08)", async () => {
    const { content } = await resultOf(`printf '\\360'; printf 'warning\\n' >&2; sleep 0.02; printf '\\237\\230\\200 end\\n'`);
    expect(content).not.toContain("\ufffd");
    expect(content).toContain("\u{1f600} end");
    expect(content).toContain("warning");
  });

  test("is cut between characters, and says how much is left out (A09)", async () => {
    const { content, file } = await resultOf("yes ─ | head -n 100000 | tr -d '\\n'");
    expect(content).not.toContain("\ufffd");
    expect(content).toStartWith("─");
    expect(file?.length).toBe(300_000);
  });

  test("with the middle left out has a beginning and an end that make up for the number of bytes between", async () => {
    const { content, file } = await resultOf("seq 1 100000");
    const [, head = "", omitted = "", tail = ""] = /^([\s\S]*)\n\[\.\.\. (\d+) bytes of output left out \.\.\.\]\n([\s\S]*)\nThe output is in/.exec(content) ?? [];
    expect(head).toStartWith("1\n2\n3\n");
    expect(tail).toEndWith("\n99999\n100000");
    // The line feed at the very end is not shown.
    expect(head.length + Number(omitted) + tail.length + 1).toBe(file?.length ?? 0);
    expect(Buffer.byteLength(content)).toBeLessThan(30_000);
  });

  test.each([
    ["in many lines", "yes 0123456789 | head -c 300000000"],
    ["in one line", "head -c 300000000 /dev/zero | tr '\\0' x"],
  ])("is bounded for 300 MB %s, and so is the file (A10)", async (_what, command) => {
    const { content, keptBytes } = await resultOf(command);
    expect(Buffer.byteLength(content)).toBeLessThan(30_000);
    const lost = Number(/(\d+) bytes of the output were not kept/.exec(content)?.[1]);
    expect(keptBytes).toBeLessThan(64 * 1_048_576 + NOTE_BYTES_MAX);
    // Every byte is either in a file or counted.
    expect(keptBytes + lost).toBeGreaterThanOrEqual(300_000_000);
    expect(keptBytes + lost).toBeLessThan(300_000_000 + NOTE_BYTES_MAX);
  });

  test("has no line of tens of thousands of characters; the file has (A11)", async () => {
    const { content, file } = await resultOf("printf '%0120000d\\nlast\\n' 7");
    expect(Math.max(...content.split("\n").map((line) => line.length))).toBeLessThan(3_000);
    expect(content).toContain("\nlast\n");
    expect(file?.length).toBe(120_006);
  });

  test("is the last state of a line that was redrawn five thousand times (A12)", async () => {
    const { content } = await resultOf(`for i in $(seq 1 5000); do printf '\\r\\033[32m%d%%\\033[0m\\033[K' $i; done; printf '\\rdone\\033[K\\n'`);
    expect(content).toBe("done");
  });

  test("has the reason at its end, and the exit code, however much came before (A13)", async () => {
    const { content, isError, file } = await resultOf("head -c 12000000 /dev/zero | tr '\\0' x; echo; echo FAILED: reason; exit 3");
    expect(content).toContain("\nFAILED: reason\nExit code 3");
    expect(isError).toBe(true);
    expect(file?.length).toBe(12_000_016);
  });
});
