import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { CassetteUse } from "../../core/cassette.ts";
import { AppError } from "../../core/errors.ts";
import { GO_ON_PROMPT } from "../../core/notification.ts";
import type { PermissionRule } from "../../core/permission.ts";
import { DEFAULT_MODEL, resolveModelAlias } from "../../model/aliases.ts";
import type { Thinking } from "../../core/thinking.ts";
import { thinkingTraits } from "../../model/thinking-traits.ts";
import { checkModel } from "../../model/check-model.ts";
import { parsePermissionRule } from "../../permissions/parse-rule.ts";
import { resolveStatePaths } from "../../platform/state-paths.ts";
import type { AgentWork, ShellWork } from "../../runtime/run-request.ts";
import { loadSettings } from "../../runtime/load-settings.ts";
import type { Settings } from "../../core/settings.ts";
import { TOOL_NAMES } from "../../tools/tool-names.ts";
import { directoryFlag, durationFlag, nameFlag, thinkingFlag } from "../flag-values.ts";
import type { RunInput } from "./arguments.ts";
import { isolationOf } from "./isolation.ts";
import { refuseContradictions } from "./refuse-contradictions.ts";
import { hasPromptSource, readPrompt, requirePromptSource } from "./read-prompt.ts";
import type { ChosenAgent } from "./resolve-agent.ts";
import { loadAgentChoice, loadOutputSchema, loadResume } from "./registry.ts";
import type { ResolvedRun } from "./resolved-run.ts";
import type { ResumeTarget } from "./resolve-resume.ts";
import { resolveSpending } from "./resolve-spending.ts";
import { resolveSubagents } from "./resolve-subagents.ts";
import { resolveLimits, type ResolvedLimits } from "./resolve-limits.ts";

const DRAIN_TIMEOUT_MS = 600_000;

/**
 * Checks everything that can be checked without touching the state folder, and merges flags, environment and settings.
 * Throws `AppError` with the reason and the flag that was wrong.
 */
export async function resolveRunRequest(input: RunInput): Promise<ResolvedRun> {
  const { values, io } = input;
  refuseContradictions(input);
  const resumed = await resumeTarget(input);
  const isolation = isolationOf(values, resumed);
  if (resumed !== undefined) refuseLostDirectory(resumed, values.cwd);
  const cwd = directoryFlag("--cwd", values.cwd ?? resumed?.saved?.cwd ?? ".");
  const added = values["add-dir"].length > 0 ? values["add-dir"] : (resumed?.saved?.directories.slice(1) ?? []);
  const directories = [cwd, ...added.map((path) => directoryFlag("--add-dir", path))];
  const paths = resolveStatePaths(io.env);
  const { settings, warnings: settingsWarnings } = await loadSettings({ cwd, paths });
  const mode = values["permission-mode"] ?? resumed?.saved?.permissionMode;
  const { limits: allowed, warnings: limitWarnings } = resolveLimits({ values: { ...values, "permission-mode": mode }, env: io.env, settings, saved: resumed?.saved?.limits });
  const chosen = await chosenAgent(input, { cwd, limits: allowed, resumed });
  const { limits } = chosen;
  const warnings = [...settingsWarnings, ...limitWarnings, ...chosen.warnings];
  const work = values.exec === true ? shellWork(input) : await agentWork(input, { settings, limits, cwd, warnings, resumed, chosen });
  const name = nameFlag("--name", values.name) ?? resumed?.name;
  return {
    request: {
      work,
      ...(name === undefined ? {} : { name }),
      cwd,
      directories,
      isBackgrounded: values.background === true,
      ...(isolation === undefined ? {} : { isolation }),
      ...(limits.timeoutMs === undefined ? {} : { timeoutMs: limits.timeoutMs }),
      ...(limits.idleTimeoutMs === undefined ? {} : { idleTimeoutMs: limits.idleTimeoutMs }),
      outputBytesMax: limits.outputBytesMax,
      runOutputBytesMax: limits.runOutputBytesMax,
      warnings,
    },
    format: values["output-format"] ?? "text",
    lastMessageFile: lastMessageFile(values["output-last-message"]),
    verbosity: values.quiet === true ? "quiet" : values.verbose === true ? "verbose" : "normal",
    hasColor: wantsColor(input),
  };
}

function shellWork({ values, afterTerminator }: RunInput): ShellWork {
  if (values.prompt !== undefined) throw new AppError("usage", `Unexpected argument "${values.prompt}": with --exec the command stands behind "--"`);
  if (afterTerminator === undefined || afterTerminator.length === 0) {
    throw new AppError("usage", 'Nothing to run: put the command behind "--", as in "agent run --exec -- make"');
  }
  return { type: "shell", argv: afterTerminator };
}

/** A directory that nobody named is not called wrong. */
function refuseLostDirectory({ task: { taskId }, saved, isIsolated }: ResumeTarget, asked: string | undefined): void {
  if (asked !== undefined || saved === undefined || isIsolated || existsSync(saved.cwd)) return;
  throw new AppError("conflict", `Cannot go on with agent "${taskId}": the directory in which it worked, "${saved.cwd}", is gone; "agent resume --cwd DIR ${taskId}" has it work elsewhere`, { code: "no_directory" });
}

interface AgentParams {
  readonly settings: Settings;
  readonly limits: ResolvedLimits["limits"];
  readonly cwd: string;
  readonly warnings: string[];
  readonly resumed: ResumeTarget | undefined;
  readonly chosen: ChosenAgent;
}

async function agentWork(input: RunInput, params: AgentParams): Promise<AgentWork> {
  const { values, io } = input;
  const { settings, limits, cwd, warnings, resumed, chosen } = params;
  const subagents = resolveSubagents(values, io.env);
  const outputSchema = values["json-schema"] === undefined ? resumed?.saved?.outputSchema : (await loadOutputSchema()).readOutputSchema(values["json-schema"]);
  const hasPrompt = resumed === undefined || hasPromptSource(values);
  if (hasPrompt) requirePromptSource(values, io);
  const model = resolveModelAlias(values.model ?? chosen.model ?? resumed?.saved?.model ?? settings.model ?? DEFAULT_MODEL, settings.modelAliases);
  const thinking = thinkingOf(params, thinkingFlag("--thinking", values.thinking));
  if (thinking === "off" && values.thinking !== undefined && thinkingTraits(model).isAlwaysOn) warnings.push(`Model ${model} always thinks: --thinking off changes nothing`);
  const cassette = cassetteOf(values);
  // A replay asks no model.
  const check = (name: string) => (cassette?.mode === "replay" ? [] : checkModel({ model: name, env: io.env, cwd }).warnings);
  warnings.push(...check(model));
  const { spending, warnings: spendingWarnings } = resolveSpending({ values, limits, settings, saved: resumed?.saved?.limits, model, check });
  warnings.push(...spendingWarnings.filter((warning) => !warnings.includes(warning)));
  return {
    type: "agent",
    prompt: hasPrompt ? await readPrompt(values, io) : GO_ON_PROMPT,
    model,
    ...(thinking === undefined ? {} : { thinking }),
    permissionMode: limits.permissionMode,
    rules: [...flagRules(values.deny, "deny"), ...flagRules(values.allow, "allow"), ...flagRulesOf(resumed), ...settings.rules],
    turnsMax: limits.turnsMax,
    outputTokensMax: limits.outputTokensMax,
    apiAttemptsMax: limits.apiAttemptsMax,
    ...spending,
    stopOnDenial: values["on-deny"] === "fail",
    background: {
      onEnd: values["background-policy"] ?? "wait",
      drainTimeoutMs: durationFlag("--drain-timeout", values["drain-timeout"]) ?? DRAIN_TIMEOUT_MS,
    },
    subagents,
    ...(Object.keys(settings.modelAliases).length === 0 ? {} : { modelAliases: settings.modelAliases }),
    ...(resumed === undefined ? {} : { resume: resumed.task }),
    ...(chosen.agent === undefined ? {} : { agent: chosen.agent }),
    ...(chosen.inlineAgents === undefined ? {} : { inlineAgents: chosen.inlineAgents }),
    ...(values["system-prompt"] === undefined ? {} : { systemPrompt: values["system-prompt"] }),
    ...(values["append-system-prompt"] === undefined ? {} : { appendSystemPrompt: values["append-system-prompt"] }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(cassette === undefined ? {} : { cassette }),
  };
}

/** A conversation goes on as it was, whatever a settings file says since: other bytes would not be found in the prompt cache. */
function thinkingOf({ chosen, resumed, settings }: AgentParams, asked: Thinking | "inherit" | undefined): Thinking | undefined {
  if (asked !== undefined) return asked === "inherit" ? undefined : asked;
  return chosen.thinking ?? (resumed === undefined ? settings.thinking : resumed.saved?.thinking);
}

/** What is made of relative paths here still holds in a process that is started somewhere else. */
function cassetteOf({ record, replay }: RunInput["values"]): CassetteUse | undefined {
  if (record !== undefined) return { mode: "record", path: resolve(record) };
  return replay === undefined ? undefined : { mode: "replay", path: resolve(replay) };
}

/** What the user allowed and denied on the command line holds for the conversation; files are read anew. */
function flagRulesOf(resumed: ResumeTarget | undefined): PermissionRule[] {
  return resumed?.saved?.rules.filter((rule) => rule.layer === "flag") ?? [];
}

/** Loads what reads definitions only where there is one to be used. A conversation keeps the agent that it began with. */
async function chosenAgent(
  { values, io }: RunInput,
  { cwd, limits, resumed }: { readonly cwd: string; readonly limits: ResolvedLimits["limits"]; readonly resumed: ResumeTarget | undefined },
): Promise<ChosenAgent> {
  const name = resumed === undefined ? values.agent : undefined;
  const saved = resumed?.saved;
  if ([name, values.agents, saved?.agent, saved?.inlineAgents].every((each) => each === undefined)) return { limits, warnings: [] };
  return (await loadAgentChoice()).resolveAgent({ name, inline: values.agents }, { cwd, io, limits, saved });
}

/** Loads what looks into the state only where an earlier conversation is named. */
async function resumeTarget({ values, io }: RunInput): Promise<ResumeTarget | undefined> {
  if (values.resume === undefined && values.continue !== true) return undefined;
  const { resolveResume } = await loadResume();
  return await resolveResume(values.resume === undefined ? { latestIn: directoryFlag("--cwd", values.cwd ?? ".") } : { reference: values.resume }, io);
}

function flagRules(texts: readonly string[], behavior: "allow" | "deny"): PermissionRule[] {
  return texts.map((text) => parsePermissionRule(text, { behavior, layer: "flag", knownTools: TOOL_NAMES }));
}

/** A message that has no place to go is noticed before it is paid for. */
function lastMessageFile(path: string | undefined): string | undefined {
  if (path !== undefined) directoryFlag("--output-last-message", dirname(path));
  return path;
}

function wantsColor({ values, io }: RunInput): boolean {
  if (values.color === "always") return true;
  if (values["no-color"] === true || values.color === "never" || io.env["NO_COLOR"] || io.env["TERM"] === "dumb" || io.env["CI"]) return false;
  return io.isStderrTty || Boolean(io.env["FORCE_COLOR"]);
}
