import type { AgentEvent } from "../core/agent.ts";
import { messageText } from "../core/message.ts";
import type { PermissionDenial } from "../core/permission.ts";
import type { TaskHost } from "../core/task-host.ts";
import type { TaskId } from "../core/task.ts";
import { addUsage, NO_USAGE, totalTokens, type Usage } from "../core/usage.ts";
import { priceOf } from "../model/pricing.ts";
import { activity } from "./activity.ts";
import { agentEventBody } from "./agent-event-body.ts";
import { NO_WORK, type RunOutcome } from "./run-outcome.ts";

/** Turns what an agent's loop says into the run's event stream, its record's progress and its totals. */
export interface AgentReport {
  add(event: AgentEvent): void;
  totals(): Omit<RunOutcome, "reason" | "text">;
  /** The text of the last message that had any. */
  lastText(): string;
  /** Whether a call was refused in the last turn that made calls. */
  wasDeniedLast(): boolean;
}

const PROGRESS_INTERVAL_MS = 1_000;
const RECENT_ACTIVITIES_MAX = 5;

export function createAgentReport(params: { readonly agentId: TaskId; readonly host: TaskHost }): AgentReport {
  const { agentId, host } = params;
  const denials: PermissionDenial[] = [];
  const usageByModel = new Map<string, Usage>();
  let usage: Usage = NO_USAGE;
  let costUsd: number | null = 0;
  let isCostEstimated = false;
  let apiDurationMs = 0;
  let turnCount = 0;
  let toolUseCount = 0;
  let activities: readonly string[] = [];
  let lastText = "";
  let deniedInTurn = false;
  let deniedLast = false;
  let progressAt = Number.NEGATIVE_INFINITY;

  function reportProgress(): void {
    const now = host.activeMs();
    if (now - progressAt < PROGRESS_INTERVAL_MS) return;
    progressAt = now;
    const attempt = host.getAppState().tasks[agentId]?.attempt;
    if (attempt === undefined) return;
    host.emit({
      type: "task.progress",
      task_id: agentId,
      parent_task_id: null,
      token_count: totalTokens(usage),
      tool_use_count: toolUseCount,
      recent_activities: [...activities],
    });
    // Progress carries no promise: one that cannot be written is left out.
    void host.ledger.patchTask(agentId, attempt, { detail: progressDetail() }).catch(() => undefined);
  }

  function addRequest(model: string, reply: Usage, durationMs: number): void {
    usage = addUsage(usage, reply);
    usageByModel.set(model, addUsage(usageByModel.get(model) ?? NO_USAGE, reply));
    apiDurationMs += durationMs;
    const price = priceOf(model, reply);
    costUsd = costUsd === null || price.usd === null ? null : costUsd + price.usd;
    isCostEstimated ||= price.estimated;
  }

  function progressDetail() {
    const lastActivity = activities.at(-1);
    return {
      turnCount,
      costUsd,
      progress: {
        toolUseCount,
        tokenCount: totalTokens(usage),
        ...(lastActivity === undefined ? {} : { lastActivity, recentActivities: [...activities] }),
      },
    };
  }

  function count(event: AgentEvent): void {
    switch (event.type) {
      case "side_request":
        addRequest(event.model, event.usage, event.apiDurationMs);
        return;
      case "turn_start":
        turnCount = event.turn;
        return;
      case "message_completed":
        addRequest(event.model, event.usage, event.apiDurationMs);
        lastText = messageText(event.message) || lastText;
        deniedInTurn = false;
        return;
      case "tool_started":
        toolUseCount++;
        activities = [...activities, activity(event.call)].slice(-RECENT_ACTIVITIES_MAX);
        return;
      case "permission_denied":
        denials.push(event.denial);
        deniedInTurn = true;
        return;
      case "tool_results":
        deniedLast = deniedInTurn;
        return;
      case "text_delta":
      case "permission_allowed":
      case "tool_completed":
      case "api_retry":
      case "model_fallback":
      case "context_compacted":
      case "compaction_failed":
      case "recovery":
        return;
    }
  }

  return {
    add(event) {
      count(event);
      const body = agentEventBody(agentId, event);
      if (body !== undefined) host.emit(body);
      if (event.type === "message_completed" || event.type === "tool_results") reportProgress();
    },
    totals() {
      return {
        ...NO_WORK,
        turnCount,
        usage,
        usageByModel: Object.fromEntries(usageByModel),
        apiDurationMs,
        costUsd,
        isCostEstimated,
        denials,
      };
    },
    lastText: () => lastText,
    wasDeniedLast: () => deniedLast,
  };
}
