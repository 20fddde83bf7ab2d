import type { AgentContext } from "../../core/agent.ts";
import { AppError, errorMessage } from "../../core/errors.ts";
import type { PermissionAnswer, PermissionReply, PermissionRule, Verdict } from "../../core/permission.ts";
import { assertNever } from "../../lib/assert-never.ts";
import { oneAtATime } from "../../lib/one-at-a-time.ts";
import { parsePermissionRule } from "../../permissions/parse-rule.ts";
import { COMMAND_TOOL } from "../../permissions/rule-family.ts";
import { TOOL_NAMES } from "../../tools/tool-names.ts";
import type { PermissionGrants } from "./permission-grants.ts";
import { loadSettingsEditing } from "./registry.ts";
import type { RunParams } from "../run-params.ts";

type Question = Parameters<NonNullable<AgentContext["askPermission"]>>[0];
type Check = AgentContext["checkPermission"];

/**
 * @param check decides for the agent that asks, by the rules that hold when it is called
 * @param agent what people know it by; nothing for the root
 */
export type AskPermission = (question: Question, check: Check, agent?: string) => Promise<PermissionAnswer>;

interface AskingParams {
  readonly askUser: NonNullable<RunParams["askUser"]>;
  readonly grants: PermissionGrants;
  /** Where rules go that are granted for good. */
  readonly userSettingsFile: string;
  readonly warn: (text: string) => void;
}

/**
 * Puts the questions of all agents of a run to a person, one after the other, and gives effect to the answers. A question
 * that an earlier answer has settled is not put.
 */
export function createPermissionAsking(params: AskingParams): AskPermission {
  const next = oneAtATime((ask: () => Promise<PermissionAnswer>) => ask());
  return (question, check, agent) => next(() => put(question, check, { ...params, agent }));
}

async function put({ tool, access, signal }: Question, check: Check, params: AskingParams & { readonly agent: string | undefined }): Promise<PermissionAnswer> {
  const verdict = check(tool, access);
  if (verdict.behavior !== "ask" || signal.aborted) return { verdict, isFromUser: false };
  const { grants = [], ...asked } = verdict;
  const rules = parsedRules(grants);
  const granted = rules === undefined ? {} : { grants };
  const reply = await params.askUser({ ...(params.agent === undefined ? {} : { agent: params.agent }), tool: tool.name, access, verdict: { ...asked, ...granted } }, signal);
  if (reply === "unasked") return { verdict, isFromUser: false };
  if (reply === "run" || reply === "always") params.grants.add(rules ?? []);
  const isKept = reply === "always" && (await keep(grants, params));
  return { verdict: verdictOf(reply, { reason: verdict.reason, granted, isKept }), isFromUser: true };
}

/** Undefined where there is nothing to grant, or something that is no rule or means more than was asked: it is not offered then. */
function parsedRules(grants: readonly string[]): PermissionRule[] | undefined {
  try {
    const rules = grants.map((text) => parsePermissionRule(text, { behavior: "allow", layer: "user", knownTools: TOOL_NAMES }));
    return rules.length === 0 || rules.some(coversMore) ? undefined : rules;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return undefined;
  }
}

/** The name of a file is the model's to choose, and as a pattern it may mean every other file. A command's patterns are ours. */
function coversMore({ tool, spec }: PermissionRule): boolean {
  return tool !== COMMAND_TOOL && (spec === undefined || /[*?[\]{}!\\]|^~/.test(spec));
}

/** What cannot be kept for later still holds for this run. */
async function keep(rules: readonly string[], { userSettingsFile, warn }: AskingParams): Promise<boolean> {
  try {
    const { allowInUserSettings } = await loadSettingsEditing();
    allowInUserSettings(userSettingsFile, rules);
    return true;
  } catch (error) {
    warn(`What was allowed holds for this run only: ${errorMessage(error)}`);
    return false;
  }
}

function verdictOf(
  reply: Exclude<PermissionReply, "unasked">,
  { reason, granted, isKept }: { readonly reason: string; readonly granted: Pick<Verdict, "grants">; readonly isKept: boolean },
): Verdict {
  switch (reply) {
    case "once":
      return { behavior: "allow", layer: "user", reason: "The user allowed this call" };
    case "run":
    case "always":
      return { behavior: "allow", layer: "user", reason: `The user allowed this call, and what these rules cover ${isKept ? "from now on" : "for this run"}`, ...granted };
    case "refused":
      return { behavior: "deny", layer: "user", reason: "The user refused this call" };
    case "unanswered":
      return { behavior: "deny", layer: "user", reason: `The user was asked and has not answered: ${reason}` };
    default:
      return assertNever(reply, "reply");
  }
}
