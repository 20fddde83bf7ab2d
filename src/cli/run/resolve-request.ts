import { basename } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { PermissionRule } from "../../core/permission.ts";
import { DEFAULT_MODEL, resolveModelAlias } from "../../model/aliases.ts";
import { checkModel } from "../../model/check-model.ts";
import { parsePermissionRule } from "../../permissions/parse-rule.ts";
import { resolveStatePaths } from "../../platform/state-paths.ts";
import type { AgentWork, RunRequest, ShellWork } from "../../runtime/run-request.ts";
import { loadSettings } from "../../runtime/load-settings.ts";
import type { Settings } from "../../core/settings.ts";
import { TOOL_NAMES } from "../../tools/tool-names.ts";
import { directoryFlag } from "../flag-values.ts";
import type { CommandInput } from "../command.ts";
import type { RUN_ARGUMENTS } from "./arguments.ts";
import { readPrompt, requirePromptSource } from "./read-prompt.ts";
import { resolveLimits, type ResolvedLimits } from "./resolve-limits.ts";

/** A run as the command line asks for it, and how its user wants to be told. */
export interface ResolvedRun {
  readonly request: RunRequest;
  readonly format: "text" | "json" | "stream-json";
  readonly lastMessageFile: string | undefined;
  readonly verbosity: "quiet" | "normal" | "verbose";
  readonly hasColor: boolean;
}

type RunInput = CommandInput<typeof RUN_ARGUMENTS>;

/**
 * Checks everything that can be checked without touching the state folder, and merges flags, environment and settings.
 * Throws `AppError` with the reason and the flag that was wrong.
 */
export async function resolveRunRequest(input: RunInput): Promise<ResolvedRun> {
  const { values, io } = input;
  const cwd = directoryFlag("--cwd", values.cwd ?? ".");
  const directories = [cwd, ...values["add-dir"].map((path) => directoryFlag("--add-dir", path))];
  const paths = resolveStatePaths(io.env);
  const { settings, warnings: settingsWarnings } = await loadSettings({ cwd, paths });
  const { limits, warnings: limitWarnings } = resolveLimits({ values, env: io.env, settings });
  const warnings = [...settingsWarnings, ...limitWarnings];
  const work = values.exec === true ? shellWork(input) : await agentWork(input, { settings, limits, cwd, warnings });
  return {
    request: {
      work,
      ...(values.name === undefined ? {} : { name: checkedName(values.name) }),
      cwd,
      directories,
      isBackgrounded: values.background === true,
      ...(limits.timeoutMs === undefined ? {} : { timeoutMs: limits.timeoutMs }),
      outputBytesMax: limits.outputBytesMax,
      warnings,
    },
    format: values["output-format"] ?? "text",
    lastMessageFile: values["output-last-message"],
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

async function agentWork(
  input: RunInput,
  params: { readonly settings: Settings; readonly limits: ResolvedLimits["limits"]; readonly cwd: string; readonly warnings: string[] },
): Promise<AgentWork> {
  const { values, io } = input;
  const { settings, limits, cwd, warnings } = params;
  requirePromptSource(values, io);
  const model = resolveModelAlias(values.model ?? settings.model ?? DEFAULT_MODEL, settings.modelAliases);
  warnings.push(...checkModel({ model, env: io.env, cwd }).warnings);
  return {
    type: "agent",
    prompt: await readPrompt(values, io),
    model,
    permissionMode: limits.permissionMode,
    rules: [...flagRules(values.deny, "deny"), ...flagRules(values.allow, "allow"), ...settings.rules],
    turnsMax: limits.turnsMax,
    outputTokensMax: limits.outputTokensMax,
    apiAttemptsMax: limits.apiAttemptsMax,
    stopOnDenial: values["on-deny"] === "fail",
    ...(values["system-prompt"] === undefined ? {} : { systemPrompt: values["system-prompt"] }),
    ...(values["append-system-prompt"] === undefined ? {} : { appendSystemPrompt: values["append-system-prompt"] }),
  };
}

function flagRules(texts: readonly string[], behavior: "allow" | "deny"): PermissionRule[] {
  return texts.map((text) => parsePermissionRule(text, { behavior, layer: "flag", knownTools: TOOL_NAMES }));
}

/** Names share one space with ids and are typed by hand. */
function checkedName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) && basename(name) === name) return name;
  throw new AppError("usage", `Cannot use "${name}" for --name: up to 64 letters, digits, ".", "_" and "-", the first a letter or digit`);
}

function wantsColor({ values, io }: RunInput): boolean {
  if (values.color === "always") return true;
  if (values["no-color"] === true || values.color === "never" || io.env["NO_COLOR"] || io.env["TERM"] === "dumb" || io.env["CI"]) return false;
  return io.isStderrTty || Boolean(io.env["FORCE_COLOR"]);
}
