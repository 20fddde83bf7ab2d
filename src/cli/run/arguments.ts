import { DEFAULT_SETTINGS } from "../../core/default-settings.ts";
import { PERMISSION_MODES } from "../../core/permission.ts";
import { DEFAULT_MODEL } from "../../model/aliases.ts";
import type { ArgumentTable, CommandInput } from "../command.ts";

/** What `agent run` takes. */
export const RUN_ARGUMENTS = {
  prompt: { type: "positional", description: 'What to do; "-" reads it from standard input' },
  background: { type: "boolean", alias: "d", description: "Detach, print the task id and return" },
  name: { type: "string", alias: "n", valueHint: "name", description: "A name that every command accepts instead of the id" },
  cwd: { type: "string", alias: "C", valueHint: "dir", description: "Working directory", defaultHint: "the current one" },
  "add-dir": { type: "string", isMultiple: true, valueHint: "dir", description: "Another directory to work in" },
  isolation: { type: "enum", options: ["none", "worktree"], description: "Work in a git worktree, on a branch of its own", defaultHint: "none" },
  base: { type: "string", valueHint: "commit", description: "Begin the worktree with this commit", defaultHint: "the current one" },
  "carry-changes": { type: "boolean", description: "Take what is not committed along into the worktree" },
  "prompt-file": { type: "string", valueHint: "file", description: "Read the prompt from a file" },
  agent: { type: "string", valueHint: "name", env: "AGENT_AGENT", description: 'Be the agent of this definition: "agent agents ls" lists them' },
  agents: { type: "string", valueHint: "json|file", description: "More agent definitions, as JSON" },
  model: { type: "string", alias: "m", valueHint: "model", env: "AGENT_MODEL", description: "Model id, alias, or scripted:demo", defaultHint: DEFAULT_MODEL },
  "fallback-model": { type: "string", valueHint: "models", env: "AGENT_FALLBACK_MODEL", description: "Models to turn to, separated by commas" },
  thinking: { type: "string", valueHint: "off|low|medium|high|n", env: "AGENT_THINKING", description: "How much the model thinks; a number is of tokens" },
  "system-prompt": { type: "string", valueHint: "text", description: "Replace the built-in system prompt" },
  "append-system-prompt": { type: "string", valueHint: "text", description: "Add to the system prompt" },
  "permission-mode": { type: "enum", options: PERMISSION_MODES, env: "AGENT_PERMISSION_MODE", description: "What is allowed without a rule", defaultHint: DEFAULT_SETTINGS.permissionMode },
  allow: { type: "string", isMultiple: true, valueHint: "rule", description: "Allow, as 'Bash(npm test:*)'" },
  deny: { type: "string", isMultiple: true, valueHint: "rule", description: "Deny; wins over every allow" },
  "on-deny": { type: "enum", options: ["continue", "fail"], description: "What a refused call does to the run", defaultHint: "continue" },
  "max-turns": { type: "string", valueHint: "n", env: "AGENT_MAX_TURNS", description: "Most replies of the model", defaultHint: String(DEFAULT_SETTINGS.turnsMax) },
  "max-depth": { type: "string", valueHint: "n", env: "AGENT_MAX_DEPTH", description: "How deep agents may start agents; 0 for not at all", defaultHint: String(DEFAULT_SETTINGS.agentDepthMax) },
  "max-agents": { type: "string", valueHint: "n", env: "AGENT_MAX_AGENTS", description: "Most agents that are started in the run", defaultHint: String(DEFAULT_SETTINGS.agentCountMax) },
  "max-concurrency": { type: "string", valueHint: "n", env: "AGENT_MAX_CONCURRENCY", description: "Most replies that arrive at once, up to 200", defaultHint: String(DEFAULT_SETTINGS.agentConcurrencyMax) },
  timeout: { type: "string", valueHint: "duration", env: "AGENT_TIMEOUT", description: "End the run after this long (90, 10m, 2h)" },
  "idle-timeout": { type: "string", valueHint: "duration", env: "AGENT_IDLE_TIMEOUT", description: "End a run in which nothing happens for so long" },
  "max-budget-usd": { type: "string", valueHint: "dollars", env: "AGENT_MAX_BUDGET_USD", description: "Most US dollars to spend" },
  "max-tokens": { type: "string", valueHint: "n", env: "AGENT_MAX_TOKENS", description: "Most tokens to use, all but cache reads" },
  "max-tool-calls": { type: "string", valueHint: "n", env: "AGENT_MAX_TOOL_CALLS", description: "Most tool calls to make" },
  "task-budget": { type: "string", valueHint: "n", env: "AGENT_TASK_BUDGET", description: "Tokens that the model is told to get by with, from 20000 up" },
  "wait-for-limit": { type: "string", valueHint: "duration", impliedValue: "24d", env: "AGENT_WAIT_FOR_LIMIT", description: "Longest wait for a limit of the service to reset; any time where no value is given", defaultHint: "60s" },
  "output-quota": { type: "string", valueHint: "size", env: "AGENT_TASK_OUTPUT_QUOTA", description: "Most output kept for one task", defaultHint: `${DEFAULT_SETTINGS.outputBytesMax / 1_048_576}MiB` },
  "output-format": { type: "enum", options: ["text", "json", "stream-json"], env: "AGENT_OUTPUT_FORMAT", description: "What stdout carries", defaultHint: "text" },
  "output-last-message": { type: "string", alias: "o", valueHint: "file", description: "Also write the final message to a file" },
  "json-schema": { type: "string", valueHint: "file", description: "A JSON Schema that the answer has to fit: a file, or the JSON itself" },
  "background-policy": { type: "enum", options: ["wait", "kill"], description: "What a run does about background work at its end", defaultHint: "wait" },
  "drain-timeout": { type: "string", valueHint: "duration", env: "AGENT_DRAIN_TIMEOUT", description: "Longest wait for background work", defaultHint: "600s" },
  record: { type: "string", valueHint: "file", description: "Also write the run to a file that can be replayed" },
  replay: { type: "string", valueHint: "file", description: "Do a recorded run again, without a model and without tools" },
  continue: { type: "boolean", alias: "c", description: "Go on with the latest conversation of this directory" },
  resume: { type: "string", alias: "r", valueHint: "id", description: "Go on with a conversation" },
  ephemeral: { type: "boolean", description: "Leave nothing on disk" },
  exec: { type: "boolean", description: "Run the command behind -- instead of an agent" },
  quiet: { type: "boolean", alias: "q", description: "Nothing on stderr but errors" },
  verbose: { type: "boolean", alias: "v", description: "Say more on stderr: every tool call" },
  "no-color": { type: "boolean", description: "The same as --color never" },
  color: { type: "enum", options: ["auto", "always", "never"], description: "Color for people", defaultHint: "auto" },
} as const satisfies ArgumentTable;

/** A command line of `agent run`. */
export type RunInput = Omit<CommandInput<typeof RUN_ARGUMENTS>, "program">;

const { continue: _continue, resume: _resume, ephemeral: _ephemeral, exec: _exec, isolation: _isolation, base: _base, "carry-changes": _carryChanges, agent: _agent, replay: _replay, ...KEPT_ARGUMENTS } = RUN_ARGUMENTS;

/** What `agent resume` takes: a task, and what can be said of a run that goes on with it. */
export const RESUME_ARGUMENTS = {
  task: { type: "positional", description: "Id, beginning of an id, or name of an agent that has ended" },
  ...KEPT_ARGUMENTS,
} as const satisfies ArgumentTable;
