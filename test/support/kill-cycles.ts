import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { conversationFaults } from "./conversation-faults.ts";
import { inParallel } from "./in-parallel.ts";
import { startScriptedApi } from "./scripted-api-server.ts";
import { type AgentUser, agentUser } from "./spawn-agent.ts";
import { recordedState, stateFaults } from "./state-faults.ts";
import { stepwiseModel } from "./stepwise-model.ts";

/** What came of it to kill runs again and again. */
export interface KillCycles {
  readonly cycles: number;
  /** How many runs had sent a request when they were killed. */
  readonly inConversation: number;
  /** How many tasks they had started in the background. */
  readonly tasks: number;
  /** What was wrong, a line each. */
  readonly faults: readonly string[];
}

interface KillOptions {
  /** The executable; that of the tests unless given. */
  readonly program?: string;
  /** As `Math.random`. */
  readonly random?: () => number;
}

/** So often a conversation is broken off before it may end; then everything that is promised of it is checked. */
const KILLS_OF_ONE_CONVERSATION = 25;
const LIFE_MS_MAX = 400;

/** More than any run gets done in its life: commands that end, commands that go on, output. */
const PLAN = Array.from({ length: 500 }, (_, step) => [
  { command: `seq ${step} 2000`, run_in_background: true },
  ...(step % 3 === 0 ? [{ command: "sleep 30", run_in_background: true }] : []),
  { command: `echo ${step} >>log; seq 500` },
]);

/**
 * Kills runs that work with `kill -9`, each at a random moment of its life, and goes on with the same conversation in a
 * new run, again and again.
 */
export async function killCycles(options: KillOptions & { readonly cycles: number; readonly atOnce: number }): Promise<KillCycles> {
  const { cycles, atOnce } = options;
  const starts = Array.from({ length: Math.ceil(cycles / KILLS_OF_ONE_CONVERSATION) }, (_, index) => index * KILLS_OF_ONE_CONVERSATION);
  const outcomes = await inParallel(starts, { atOnce }, (start) => breakConversation(Math.min(KILLS_OF_ONE_CONVERSATION, cycles - start), options));
  const sum = (countOf: (outcome: Omit<KillCycles, "cycles">) => number) => outcomes.reduce((total, outcome) => total + countOf(outcome), 0);
  return {
    cycles,
    inConversation: sum((outcome) => outcome.inConversation),
    tasks: sum((outcome) => outcome.tasks),
    faults: outcomes.flatMap((outcome) => outcome.faults),
  };
}

async function breakConversation(kills: number, { program, random = Math.random }: KillOptions): Promise<Omit<KillCycles, "cycles">> {
  using user = agentUser("full", program === undefined ? {} : { program });
  const [work, ending] = [stepwiseModel(PLAN), stepwiseModel([])];
  let isToEnd = false;
  await using api = startScriptedApi({ turns: (request) => (isToEnd ? ending : work)(request) });
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test-key", AGENT_API_ATTEMPTS: "1" };
  const faults: string[] = [];
  let inConversation = 0;
  /** The conversation, once anybody was told of it, and the requests that came before. */
  let told: { readonly id: string; readonly requestsBefore: number } | undefined;
  const argumentsFor = (prompt: string) => [...(told === undefined ? ["run"] : ["resume", told.id]), ...FLAGS, prompt];

  for (let kill = 0; kill < kills; kill++) {
    const requestsBefore = api.requests.length;
    const run = user.start(argumentsFor(`prompt ${kill}`), { env });
    await Bun.sleep(random() * LIFE_MS_MAX);
    run.kill("SIGKILL");
    const { stdout, signal, exitCode, stderr } = await run.ended;
    if (signal !== "SIGKILL") faults.push(`a run ended by itself with ${exitCode}: ${stderr}`);
    const id = /^\{.*"task_id":"(\w+)".*"type":"run.started"/.exec(stdout)?.[1];
    if (id !== undefined) told ??= { id, requestsBefore };
    if (api.requests.length > requestsBefore) inConversation++;
  }
  isToEnd = true;
  const last = await user.run(argumentsFor("the end"), { env });
  if (last.exitCode !== 0) faults.push(`the conversation could not be gone on with: exit status ${last.exitCode}: ${last.stderr}`);

  const recorded = recordedState(user.stateDirectory);
  const tasks = recorded.tasks.filter((task) => task.parentTaskId === told?.id);
  faults.push(...stateFaults(user.stateDirectory, recorded), ...conversationFaults(api.requests.slice(told?.requestsBefore), tasks), ...repeatedSteps(user));
  if (told !== undefined && !recorded.tasks.some(({ id }) => id === told?.id)) faults.push(`task ${told.id} was told of and is not on record`);
  return { inConversation, tasks: tasks.length, faults };
}

const FLAGS = ["--permission-mode", "bypassPermissions", "--output-format", "stream-json"];

/** No call has its effect twice. */
function repeatedSteps({ project }: AgentUser): string[] {
  const log = join(project, "log");
  const steps = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
  const repeated = steps.filter((step, index) => steps.indexOf(step) !== index);
  return repeated.map((step) => `the call of step ${step} was made twice`);
}
