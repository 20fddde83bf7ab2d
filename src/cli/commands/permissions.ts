import { AppError } from "../../core/errors.ts";
import { EXIT_CODES } from "../../core/exit-code.ts";
import { DEFAULT_SETTINGS } from "../../core/default-settings.ts";
import { PERMISSION_MODES, type PermissionRule } from "../../core/permission.ts";
import { nearestName } from "../../lib/nearest-name.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { parsePermissionRule } from "../../permissions/parse-rule.ts";
import { resolveStatePaths } from "../../platform/state-paths.ts";
import { loadSettings } from "../../runtime/load-settings.ts";
import { parseSettings } from "../../runtime/parse-settings.ts";
import { decideCall, parseCall, type PermissionPolicy } from "../../runtime/permission-policy.ts";
import { TOOL_NAMES } from "../../tools/tool-names.ts";
import { defineCliCommand, type CommandInput } from "../command.ts";
import { directoryFlag } from "../flag-values.ts";
import { checkPolicy } from "../permissions/check-policy.ts";
import { readPolicyCases, readPolicyFile } from "../permissions/policy-cases.ts";
import { verdictJson, verdictText } from "../permissions/verdict-text.ts";
import { resolveLimits } from "../run/resolve-limits.ts";

const ACTIONS = ["explain", "check"] as const;

const PERMISSIONS_ARGUMENTS = {
  action: { type: "positional", options: ACTIONS, description: "explain or check" },
  call: { type: "positional", description: "For explain: a call, as 'Bash(npm test)' or 'Write(src/a.ts)'" },
  rules: { type: "string", valueHint: "file", description: "For check: a configuration file, taken as the user's; no other counts" },
  cases: { type: "string", valueHint: "file", description: "For check: an array of {call, expect: allow|ask|deny, mode?}" },
  "permission-mode": { type: "enum", options: PERMISSION_MODES, env: "AGENT_PERMISSION_MODE", description: "What is allowed without a rule", defaultHint: DEFAULT_SETTINGS.permissionMode },
  allow: { type: "string", isMultiple: true, valueHint: "rule", description: "A rule as of the same flag of run" },
  deny: { type: "string", isMultiple: true, valueHint: "rule", description: "A rule as of the same flag of run" },
  "add-dir": { type: "string", isMultiple: true, valueHint: "dir", description: "Another directory to work in" },
  cwd: { type: "string", alias: "C", valueHint: "dir", description: "Working directory", defaultHint: "the current one" },
  json: { type: "boolean", description: "Print JSON" },
} as const;

type Input = CommandInput<typeof PERMISSIONS_ARGUMENTS>;

export default defineCliCommand({
  name: "permissions",
  description: "Explain what a run may do, and test a policy",
  examples: [
    "agent permissions explain 'Bash(npm test 2>&1 | tail -20)' --allow 'Bash(npm test:*)'",
    "agent permissions explain 'Write(.git/hooks/pre-commit)' --permission-mode acceptEdits",
    "agent permissions check --rules policy.jsonc --cases cases.jsonc",
  ],
  args: PERMISSIONS_ARGUMENTS,
  async run(input) {
    const { values, io } = input;
    if (values.action === "explain") {
      if (values.call === undefined) throw usage("Missing the call behind \"agent permissions explain\": write it as 'Bash(npm test)'");
      if (values.rules !== undefined || values.cases !== undefined) throw usage("--rules and --cases are for check");
      const verdict = await decideCall(parseCall(values.call), await effectivePolicy(input));
      await io.stdout.write(values.json === true ? `${JSON.stringify(verdictJson(values.call, verdict))}\n` : verdictText(values.call, verdict));
      return EXIT_CODES.ok;
    }
    if (values.action !== "check") throw unknownAction(values.action);
    if (values.call !== undefined) throw usage(`Unexpected argument "${values.call}": check takes its calls from --cases`);
    if (values.rules === undefined || values.cases === undefined) throw usage('"agent permissions check" needs --rules FILE and --cases FILE');
    const policy = filePolicy(values.rules, input);
    return await checkPolicy(readPolicyCases(values.cases), policy, { io, isJson: values.json === true });
  },
});

/** What a run with the same flags in the same directory would get. */
async function effectivePolicy({ values, io }: Input): Promise<PermissionPolicy> {
  const place = placeOf({ values, io });
  const { settings, warnings } = await loadSettings({ cwd: place.cwd, paths: resolveStatePaths(io.env) });
  const { limits, warnings: limitWarnings } = resolveLimits({ values: { "permission-mode": values["permission-mode"] }, env: io.env, settings });
  for (const warning of [...warnings, ...limitWarnings]) await io.stderr.write(`agent: ${visibleText(warning)}\n`);
  return { ...place, context: { mode: limits.permissionMode, rules: [...flagRules(values), ...settings.rules], directories: place.directories } };
}

/** What one file says, whatever else is configured on the machine. */
function filePolicy(file: string, { values, io }: Input): PermissionPolicy {
  const { values: settings, rules } = parseSettings(readPolicyFile(file), { name: "user", file });
  const place = placeOf({ values, io });
  const mode = values["permission-mode"] ?? settings.permissionMode ?? DEFAULT_SETTINGS.permissionMode;
  return { ...place, context: { mode, rules: [...flagRules(values), ...rules], directories: place.directories } };
}

function placeOf({ values, io }: Pick<Input, "values" | "io">) {
  const cwd = directoryFlag("--cwd", values.cwd ?? ".");
  const { config, state } = resolveStatePaths(io.env);
  return { cwd, directories: [cwd, ...values["add-dir"].map((path) => directoryFlag("--add-dir", path))], protectedPaths: [config, state], env: io.env };
}

function flagRules({ allow, deny }: Input["values"]): PermissionRule[] {
  return [...parseRules(deny, "deny"), ...parseRules(allow, "allow")];
}

function parseRules(texts: readonly string[], behavior: "allow" | "deny"): PermissionRule[] {
  return texts.map((text) => parsePermissionRule(text, { behavior, layer: "flag", knownTools: TOOL_NAMES }));
}

function usage(text: string): AppError {
  return new AppError("usage", text, { code: "bad_value" });
}

function unknownAction(action: string | undefined): AppError {
  const nearest = action === undefined ? undefined : nearestName(action, ACTIONS);
  const hint = nearest === undefined ? `it takes ${ACTIONS.join(" and ")}` : `did you mean "${nearest}"?`;
  return usage(action === undefined ? `Missing what to do behind "agent permissions": ${hint}` : `Unknown word "${action}" behind "agent permissions": ${hint}`);
}
