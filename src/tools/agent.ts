import { z } from "zod";
import type { Tool, ToolOutput } from "../core/agent.ts";
import { ISOLATIONS, type AgentDefinition } from "../core/agent-definition.ts";
import { AppError } from "../core/errors.ts";
import { lazySchema } from "../core/schema.ts";
import { AGENT_TOOL_NAME } from "../core/tools-for-agent.ts";
import { cutToBytes } from "../lib/cut-to-bytes.ts";
import type { AgentEnd, AgentLauncher, StartedAgent } from "../tasks/local_agent/index.ts";
import forkText from "./agent-fork.md" with { type: "text" };
import text from "./agent.md" with { type: "text" };

const DESCRIPTION_CHARS_MAX = 120;
const NAME_PATTERN = /^[A-Za-z0-9][\w.-]{0,63}$/;
/** Of the last message of an agent that was waited for. */
const RESULT_BYTES_MAX = 100_000;
/** Leaves room for what is said behind it. */
const NOTES_BYTES_MAX = 4_000;
const GENERAL_PURPOSE = "general-purpose";

const inputSchema = lazySchema("AgentInput", () =>
  z.strictObject({
    description: z.string().min(1).max(DESCRIPTION_CHARS_MAX).describe("What it does, in 3 to 5 words"),
    prompt: z.string().min(1),
    subagent_type: z.string().min(1).optional(),
    name: z.string().regex(NAME_PATTERN, "a name holds letters, digits, dots, dashes and underscores, at most 64").optional(),
    model: z.string().min(1).optional(),
    run_in_background: z.boolean().optional(),
    isolation: z.enum(ISOLATIONS).optional(),
    max_turns: z.int().min(1).max(10_000).optional(),
  }),
);
type AgentInput = z.infer<ReturnType<typeof inputSchema>>;

/** The tool that starts other agents. Its text lists those of the launcher, so it is made once for a run. */
export function createAgentTool(launcher: AgentLauncher): Tool<AgentInput> {
  return {
    name: AGENT_TOOL_NAME,
    description: describe(launcher),
    inputSchema,
    access: () => ({ kind: "none" }),
    isReadOnly: () => false,
    // Each works with a context of its own; what they do to the same files is what their prompts say.
    isConcurrencySafe: () => true,
    // The requests of all agents wait for their turn together.
    isLimitedElsewhere: true,
    maxResultBytes: RESULT_BYTES_MAX,
    async call(input, context, call) {
      const definition = chooseDefinition(input, launcher);
      const isBackgrounded = runsInBackground(input, definition, launcher);
      const started = await launcher.start(
        {
          definition,
          prompt: input.prompt,
          description: input.description,
          ...(input.name === undefined ? {} : { name: input.name }),
          ...(input.model === undefined ? {} : { model: input.model }),
          ...(input.max_turns === undefined ? {} : { turnsMax: input.max_turns }),
          isBackgrounded,
          isolation: input.isolation ?? (definition === "fork" ? "none" : (definition.isolation ?? "none")),
          toolUseId: call.toolUseId,
          signal: call.signal,
        },
        context,
      );
      return isBackgrounded ? launched(started, input) : presented(started, await started.finished);
    },
  };
}

/** Named: that one. Not named: a copy of whoever asks, where that is on, and else the one for everything. */
function chooseDefinition({ subagent_type: type }: AgentInput, { definitions, isForkEnabled }: AgentLauncher): AgentDefinition | "fork" {
  if (type === undefined && isForkEnabled) return "fork";
  const name = type ?? GENERAL_PURPOSE;
  const definition = definitions.find(name);
  if (definition === undefined) throw new AppError("usage", definitions.explainMissing(name), { code: "unknown_agent" });
  return definition;
}

/** With forks on, every agent runs in the background: whoever starts one gets its turn back. */
function runsInBackground({ run_in_background: isAsked }: AgentInput, definition: AgentDefinition | "fork", { isForkEnabled, isBackgroundEnabled }: AgentLauncher): boolean {
  if (!isBackgroundEnabled) return false;
  return isForkEnabled || isAsked === true || (definition !== "fork" && isAsked === undefined && definition.background === true);
}

function launched({ id, outputFile }: StartedAgent, { name }: AgentInput): ToolOutput {
  const status = { status: "async_launched", agentId: id, outputFile, ...(name === undefined ? {} : { name }) };
  return { content: `${JSON.stringify(status)}\nIt works in the background. You are told when it ends; do not wait for it, and do not make up what it will say.` };
}

/** The last message as it is; what else is to be known stands behind it, so that it cannot pass for a part of that. */
function presented({ id, outputFile }: StartedAgent, { isSuccess, text: answer, error, denialCount, worktree }: AgentEnd): ToolOutput {
  const notes = [
    ...(isSuccess ? [] : [`Agent ${id} did not finish: ${error ?? "no reason was given"}. SendMessage to ${id} lets it go on; what it did is in ${outputFile}`]),
    ...(denialCount === 0 ? [] : [`${denialCount} of its calls were refused`]),
    ...(worktree === undefined ? [] : [`Its changes are in the worktree ${worktree.path}, branch ${worktree.branch}`]),
  ];
  const said = cutToBytes(answer, RESULT_BYTES_MAX - NOTES_BYTES_MAX);
  const content = [said === "" ? "(the agent said nothing)" : said, ...notes.map((note) => `[${note}]`)].join("\n");
  return { content, ...(isSuccess ? {} : { isError: true }) };
}

function describe({ definitions, isForkEnabled }: AgentLauncher): string {
  const list = definitions.list().map(({ name, description }) => `- ${name}: ${description}`);
  return [text.trim(), ...(isForkEnabled ? [forkText.trim()] : []), `Agents (\`subagent_type\`):\n${list.join("\n")}`].join("\n\n");
}

