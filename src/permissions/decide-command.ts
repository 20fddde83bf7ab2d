import type { CommandJudge, CommandRequest, Verdict } from "../core/permission.ts";
import { askingRule, denyCommand } from "./deny-command.ts";
import { judgeCommands } from "./judge-command.ts";
import { COMMAND_TOOL } from "./rule-family.ts";
import { askVerdict, freeVerdict, openVerdict, ruleText, ruleVerdict } from "./rule-verdict.ts";

/** Decides about commands. Loaded with what describes them, when the first one has to be judged. */
export const commandJudge: CommandJudge = { decide: decideCommand, isReadOnly: isReadOnlyCommand };

/** Whether a command is proven to change nothing and to read inside the working directories alone, whatever the rules say. */
function isReadOnlyCommand(request: Omit<CommandRequest, "isReadOnly" | "tool">): boolean {
  const { analysis } = request.access;
  const context = { ...request.context, rules: [], mode: "default" } as const;
  const findings = judgeCommands({ ...request, context, tool: COMMAND_TOOL, isReadOnly: false });
  return analysis.opaque === undefined && findings.every(({ isReadOnly }) => isReadOnly);
}

function decideCommand(request: CommandRequest): Verdict {
  const { context } = request;
  const denied = denyCommand(request);
  if (denied !== undefined) return denied;
  const asked = context.mode === "bypassPermissions" ? undefined : askingRule(request);
  const commands = judgeCommands(request);
  if (asked !== undefined) return { ...askVerdict(asked, context), commands };
  if (context.mode === "bypassPermissions") return freeVerdict("mode", "The permission mode allows every call that no rule denies");
  const general = context.mode === "plan" ? undefined : context.rules.find(({ behavior, tool, spec }) => behavior === "allow" && tool === COMMAND_TOOL && spec === undefined);
  if (general !== undefined) return { ...ruleVerdict(general, `The rule "${ruleText(general)}" allows this call`), commands };
  return { ...decideByFindings(request, commands), commands };
}

function decideByFindings({ access, context }: CommandRequest, commands: NonNullable<Verdict["commands"]>): Verdict {
  const { opaque } = access.analysis;
  if (opaque !== undefined) return openVerdict(context, { reason: `It cannot be told what the command runs: ${opaque}`, flag: "--permission-mode bypassPermissions", isChange: true });
  const refused = commands.filter(({ isAllowed }) => !isAllowed);
  const [first] = refused;
  if (first !== undefined) {
    const flags = [...new Set(refused.flatMap(({ flag }) => flag ?? []))];
    const grants = [...new Set(refused.flatMap(({ grant }) => grant ?? []))];
    return openVerdict(context, {
      reason: first.reason,
      flag: refused.every(({ flag }) => flag !== undefined) ? [...(context.mode === "plan" ? ["--permission-mode default"] : []), ...flags].join(" ") : undefined,
      grants: refused.every(({ grant }) => grant !== undefined) ? grants : [],
      isChange: true,
    });
  }
  if (commands.every(({ isReadOnly }) => isReadOnly)) return freeVerdict("built-in", "The command only reads inside the working directories");
  if (context.mode === "plan") return openVerdict(context, { reason: "", isChange: true });
  return allowedByFindings(commands);
}

function allowedByFindings(commands: NonNullable<Verdict["commands"]>): Verdict {
  const { rule, layer, reason } = commands.find((finding) => finding.rule !== undefined) ?? {};
  if (rule === undefined || layer === undefined) return freeVerdict("mode", "The permission mode allows writing inside the working directories");
  return { behavior: "allow", rule, layer, reason: commands.length === 1 ? (reason ?? "") : `The rule "${rule}" and what is free cover all ${commands.length} commands` };
}
