import { heapStats } from "bun:jsc";
import { confirmNotices } from "../src/engine/due-notices.ts";
import { registerTask } from "../src/engine/register-task.ts";
import { startShell } from "../src/tasks/local_bash/index.ts";
import { reply, text, toolUse } from "../test/support/api-reply.ts";
import { sampleTask, taskId } from "../test/support/sample-task.ts";
import { startScriptedApi } from "../test/support/scripted-api-server.ts";
import { testTaskHost } from "../test/support/test-task-host.ts";
import type { BenchPrograms, BenchRow, Measurement } from "./measurement.ts";
import { type ProcessSample, sampleProcess, slope } from "./process-sample.ts";

const TASKS = 5_000;
const TASKS_OF_A_TURN = 50;

/** Thousands of short commands in the background: what each of them leaves behind. */
export const soak: Measurement = async ({ programs, directory, amount = TASKS }) => [
  ...(await soakRun({ programs, directory, tasks: amount })),
  ...(await soakFramework(amount)),
];

/** A whole run that starts them, fifty in a reply. Its conversation grows, and with it its memory. */
async function soakRun({ programs, directory, tasks }: { readonly programs: BenchPrograms; readonly directory: string; readonly tasks: number }): Promise<BenchRow[]> {
  const samples: { readonly started: number; readonly sample: ProcessSample }[] = [];
  let pid = 0;
  await using api = startScriptedApi({
    turns: (request, index) => {
      const started = index * TASKS_OF_A_TURN;
      if (started <= tasks) samples.push({ started, sample: sampleProcess(pid) });
      if (started < tasks) return reply(...Array.from({ length: TASKS_OF_A_TURN }, (_, task) => startOf(started + task)));
      const noticed = request.text.split("<task-notification>").length - 1;
      return noticed < tasks ? reply(toolUse("Bash", { command: "sleep 0.2" }, `toolu_wait_${index}`)) : reply(text("done"));
    },
  });
  const run = Bun.spawn([programs.agent, "run", "--permission-mode", "bypassPermissions", "--output-format", "json", "go"], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    env: { ...process.env, AGENT_STATE_DIR: directory, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "bench" },
  });
  ({ pid } = run);
  const result = JSON.parse(await new Response(run.stdout).text()) as { children: { status: string }[] };
  const completed = result.children.filter(({ status }) => status === "completed").length;
  const later = samples.slice(Math.floor(samples.length / 4));
  const last = samples.at(-1)?.sample;
  return [
    { what: `of ${tasks} tasks that the result does not list as completed`, value: tasks - completed, atMost: 0, digits: 0 },
    {
      what: "descriptors that a thousand tasks leave behind in a run",
      value: 1_000 * slope(later.map(({ started, sample }) => [started, sample.descriptors])),
      atMost: 0.5,
      note: `${last?.descriptors} descriptors and ${last?.residentMiB.toFixed(0)} MiB at the end`,
    },
  ];
}

function startOf(task: number) {
  return toolUse("Bash", { command: `echo ${task}`, run_in_background: true }, `toolu_${task}`);
}

/** The same without a conversation, in this process, where what is garbage can be told from what is kept. */
async function soakFramework(tasks: number): Promise<BenchRow[]> {
  using host = testTaskHost();
  const parentTaskId = taskId("a00000001");
  await registerTask(sampleTask({ id: parentTaskId, type: "local_agent", sessionId: host.sessionId }), host, { durable: false });
  const samples: { readonly ended: number; readonly objects: number; readonly sample: ProcessSample }[] = [];
  for (let ended = 0; ended < tasks; ended += TASKS_OF_A_TURN) {
    const shells = await Promise.all(
      Array.from({ length: TASKS_OF_A_TURN }, (_, task) =>
        startShell({ command: `echo ${task}`, cwd: host.workspace, description: "soak", host, isBackgrounded: true, parentTaskId }),
      ),
    );
    await Promise.all(shells.map((shell) => shell.ended));
    await confirmNotices(parentTaskId, host.ledger.pendingNotifications(parentTaskId).map(({ notificationId }) => notificationId), host);
    host.events.length = 0;
    Bun.gc(true);
    samples.push({ ended, objects: heapStats().objectCount, sample: sampleProcess(process.pid) });
  }
  const later = samples.slice(Math.floor(samples.length / 4));
  const each = (measure: (entry: (typeof samples)[number]) => number) => slope(later.map((entry) => [entry.ended, measure(entry)]));
  const memory = 1_000 * each(({ sample }) => sample.residentMiB);
  return [
    { what: "objects that a task leaves behind without a conversation", value: each(({ objects }) => objects), atMost: 0.5, note: `${memory.toFixed(2)} MiB of memory for a thousand tasks` },
    { what: "descriptors that a thousand tasks leave behind", value: 1_000 * each(({ sample }) => sample.descriptors), atMost: 0.5 },
  ];
}
