import { killHard } from "../support/processes.ts";
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { treeSize } from "../../src/platform/tree-size.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { type AgentUser, agentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

interface ListedTask {
  readonly id: string;
  readonly type: string;
  readonly status: string;
}

interface Record {
  readonly status: string;
  readonly outputFile: string;
  readonly detail: { readonly bytesWritten: number; readonly bytesDropped: number };
}

async function tasksOf(user: AgentUser): Promise<ListedTask[]> {
  return JSON.parse((await user.run(["ps", "-a", "--json"])).stdout) as ListedTask[];
}

async function recordOf(user: AgentUser, id: string): Promise<Record> {
  const [record] = JSON.parse((await user.run(["inspect", id])).stdout) as Record[];
  if (record === undefined) throw new Error(`No record of ${id}`);
  return record;
}

function outputBytes(user: AgentUser): number {
  return treeSize(join(user.stateDirectory, "tasks"));
}

/** The most memory that a process has had, in MiB. */
function peakMiB(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

const MARK_BYTES_MAX = 200;

describe("a task that prints without end", () => {
  test("300 MB leave what the quota allows, beginning and end, an exact count, and little memory (A01, A10, A13, V-223)", async () => {
    using user = agentUser();
    const script = "echo first; head -c 300000000 /dev/zero; echo; echo FAILED: reason; exit 3";
    const running = user.start(["run", "--output-format", "json", "--output-quota", "1MiB", "--exec", "--", "sh", "-c", script]);
    let peak = 0;
    const watching = setInterval(() => (peak = Math.max(peak, peakMiB(running.pid))), 20);
    const ended = await running.ended;
    clearInterval(watching);
    expect(ended.exitCode).toBe(1);
    expect(peak).toBeLessThan(200);
    expect(outputBytes(user)).toBeLessThanOrEqual(1_048_576 + MARK_BYTES_MAX);

    const [task] = await tasksOf(user);
    const { detail, outputFile } = await recordOf(user, task?.id ?? "");
    expect(detail.bytesWritten + detail.bytesDropped).toBe(300_000_000 + 6 + 16);
    expect(detail.bytesWritten).toBeGreaterThan(900_000);
    expect(readFileSync(outputFile, "latin1")).toMatch(/^first\n[\0]+\n\[Output cut here after 524288 bytes; what is kept of the rest: agent logs --offset 524288 b[0-9a-z]{8}\]\n$/);
    const logs = await user.run(["logs", task?.id ?? ""]);
    expect(logs.stderr).toMatch(new RegExp(`^agent: ${detail.bytesDropped} bytes are lost here, from byte 524288 to byte \\d+\n$`));
    expect(logs.stdout).toEndWith("\0\nFAILED: reason\n");
    expect((await user.run(["logs", "--tail", "1", task?.id ?? ""])).stdout).toBe("FAILED: reason\n");
    expect((await user.run(["wait", task?.id ?? ""])).stdout).toEndWith("FAILED: reason\n");
  });

  test("one in the background stays within its quota while it runs, can be followed, and stops growing with its owner (A01, A02)", async () => {
    using user = agentUser();
    const id = (await user.run(["run", "-d", "--output-quota", "256KiB", "--exec", "--", "yes", "a line that is printed again and again"])).stdout.trim();
    const [record] = JSON.parse((await user.run(["inspect", id])).stdout) as { run: { pid: number } }[];
    const following = user.start(["logs", "-f", "--json", id]);
    await waitFor(() => readdirSync(join(user.stateDirectory, "tasks")).some((name) => Number(name.split(".")[2] ?? 0) > 20_000_000));
    for (let look = 0; look < 50; look++) {
      expect(outputBytes(user)).toBeLessThanOrEqual(256 * 1_024 + MARK_BYTES_MAX);
      await Bun.sleep(2);
    }
    await killHard(record?.run.pid ?? 0);
    const pieces = (await following.ended).stdout.trimEnd().split("\n").map((line) => JSON.parse(line) as { offset: number; next_offset: number; data: string; lost_bytes?: number });
    // Every piece is what was printed there, and what is missing between two is told by its exact number.
    const line = "a line that is printed again and again\n";
    for (const [index, { offset, data, lost_bytes: lost = 0 }] of pieces.entries()) {
      expect(offset - lost).toBe(pieces[index - 1]?.next_offset ?? 0);
      expect(data).toBe(line.repeat(data.length / line.length + 2).slice(offset % line.length, (offset % line.length) + data.length));
    }
    expect(pieces.some(({ lost_bytes: lost }) => lost !== undefined)).toBe(true);
    await waitFor(async () => (await tasksOf(user)).every(({ status }) => status === "failed"));
    const bytes = outputBytes(user);
    await Bun.sleep(100);
    expect(outputBytes(user)).toBe(bytes);
  });
});

describe("tasks that read their own output (A03)", () => {
  test("one that prints all outputs, its own among them, ends by itself", async () => {
    using user = agentUser();
    await user.run(["run", "--exec", "--", "echo", "something to begin with"]);
    const ended = await user.run(["run", "--output-quota", "1MiB", "--output-format", "json", "--exec", "--", "sh", "-c", `cat ${user.stateDirectory}/tasks/*.output`]);
    expect(runResult(ended.stdout)).toMatchObject({ status: "completed" });
    expect(outputBytes(user)).toBeLessThanOrEqual(2 * (1_048_576 + MARK_BYTES_MAX));
  });

  test("those that do it again and again, and follow, stay within their quotas, and the run goes on", async () => {
    using user = agentUser();
    const tasks = `${user.stateDirectory}/tasks`;
    const quota = 128 * 1_024;
    const ids = await Promise.all(
      [`while :; do cat ${tasks}/*; done`, `tail -q -n +1 -f ${tasks}/*`, "yes"].map(async (command) =>
        (await user.run(["run", "-d", "--output-quota", String(quota), "--exec", "--", "sh", "-c", command])).stdout.trim(),
      ),
    );
    const feeding = ids[0] ?? "";
    await waitFor(() => readdirSync(tasks).some((name) => name.startsWith(feeding) && Number(name.split(".")[2] ?? 0) > 5_000_000), { timeoutMs: 30_000 });
    for (let look = 0; look < 20; look++) {
      expect(outputBytes(user)).toBeLessThanOrEqual(ids.length * (quota + MARK_BYTES_MAX));
      await Bun.sleep(5);
    }
    expect((await tasksOf(user)).map(({ status }) => status)).toEqual(["running", "running", "running"]);
    expect((await user.run(["stop", ...ids])).exitCode).toBe(0);
  });

  test("nothing that is looked for in the workspace leads to outputs", async () => {
    using user = agentUser();
    const found = "grep -rl marker-of-the-search . ; find . -name '*.output'; ls -R | grep -c output";
    const script = user.script([{ reply: [{ tool: "Bash", input: { command: `echo marker-of-the-search; ${found}` } }] }, { reply: [{ text: "done" }] }]);
    const ended = await user.run(["run", "--output-format", "stream-json", "--permission-mode", "bypassPermissions", "-m", script, "go"]);
    const [call] = eventsOfType(events(ended.stdout), "tool.completed");
    expect(call?.content).toBe("marker-of-the-search\n0\nExit code 1");
  });
});

describe("the outputs of a run together", () => {
  test("have a quota: what is beyond it is lost and told once, and the commands go on", async () => {
    using user = agentUser();
    const calls = [1, 2, 3].map((call) => ({ reply: [{ tool: "Bash", input: { command: `head -c 600000 /dev/zero | tr '\\0' ${call}; echo; echo end ${call}` } }] }));
    const script = user.script([...calls, { reply: [{ text: "done" }] }]);
    const env = { AGENT_RUN_OUTPUT_QUOTA: "1MB" };
    const ended = await user.run(["run", "--output-format", "stream-json", "--permission-mode", "bypassPermissions", "-m", script, "go"], { env });
    expect(ended.exitCode).toBe(0);
    const all = events(ended.stdout);
    const shown = eventsOfType(all, "tool.completed");
    expect(shown.map(({ is_error: isError }) => isError)).toEqual([false, false, false]);
    for (const [index, { content }] of shown.entries()) expect(content).toContain(`\nend ${index + 1}\n`);
    const truncated = eventsOfType(all, "output.truncated");
    expect(truncated.filter(({ scope }) => scope === "run")).toHaveLength(1);
    expect(truncated.filter(({ scope }) => scope === "task").map((event) => event.bytes_kept + event.bytes_dropped)).toEqual([600_007, 600_007]);
    expect(runResult(ended.stdout).warnings).toEqual([expect.stringContaining("AGENT_RUN_OUTPUT_QUOTA allows more")]);
    expect(ended.stderr.split("AGENT_RUN_OUTPUT_QUOTA")).toHaveLength(2);
    expect(shellBytes(user)).toBeLessThanOrEqual(1_000_000 + 3 * MARK_BYTES_MAX);
  });

  test("the quota can be set in the configuration, and is named at the start", async () => {
    using user = agentUser();
    expect((await user.run(["config", "set", "runOutputQuota", "5MB"])).exitCode).toBe(0);
    const ended = await user.run(["run", "--output-format", "stream-json", "-m", user.script([{ reply: [{ text: "hi" }] }]), "go"]);
    expect(events(ended.stdout)[0]).toMatchObject({ limits: { output_quota_bytes: 67_108_864, run_output_quota_bytes: 5_000_000 } });
    expect((await user.run(["run", "go"], { env: { AGENT_RUN_OUTPUT_QUOTA: "many" } })).exitCode).toBe(2);
  });
});

/** Of the files that shells made: the output of an agent is a link. */
function shellBytes(user: AgentUser): number {
  const folder = join(user.stateDirectory, "tasks");
  return readdirSync(folder)
    .filter((name) => name.startsWith("b"))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
