import type { AgentEvent } from "../core/agent.ts";
import { messageText } from "../core/message.ts";
import type { PermissionDenial } from "../core/permission.ts";
import type { PriceTable } from "../core/price-table.ts";
import { SYNTHETIC_OUTPUT } from "../core/synthetic-output.ts";
import type { TaskHost } from "../core/task-host.ts";
import { isTerminalTaskStatus, type TaskId } from "../core/task.ts";
import { totalTokens, type Usage } from "../core/usage.ts";
import { priceOf } from "../model/pricing.ts";
import { activity } from "./activity.ts";
import { agentEventBody } from "./agent-event-body.ts";
import { NO_WORK, type RunOutcome } from "./run-outcome.ts";
import { createTreeTotals, type TreeTotals } from "./tree-totals.ts";

/** Turns what an agent's loop says into the run's event stream, its record's progress and its totals. */
export interface AgentReport {
  add(event: AgentEvent): void;
  totals(): Omit<RunOutcome, "reason" | "text">;
  /** What stands of it in the agent's record. */
  detail(): Readonly<Record<string, unknown>>;
  /** The text of the last message that had any, or what there is of one that was cut short. */
  lastText(): string;
  /** Whether a call was refused in the last turn that made calls. */
  wasDeniedLast(): boolean;
}

const PROGRESS_INTERVAL_MS = 1_000;
const RECENT_ACTIVITIES_MAX = 5;

export interface AgentReportParams {
  readonly agentId: TaskId;
  /** Whether the run is this agent. */
  readonly isRoot: boolean;
  /** The agent that started it; null for the root agent of a run. */
  readonly parentId: TaskId | null;
  readonly host: TaskHost;
  readonly prices: PriceTable;
  /** What all agents of the run have used. */
  readonly tree: TreeTotals;
}

export function createAgentReport(params: AgentReportParams): AgentReport {
  const { agentId, isRoot, parentId, host, prices, tree } = params;
  const denials: PermissionDenial[] = [];
  const own = createTreeTotals();
  let turnCount = 0;
  let toolUseCount = 0;
  let activities: readonly string[] = [];
  let lastText = "";
  /** Of a message that has not ended. */
  let openText = "";
  let deniedInTurn = false;
  let hasWorkedInTurn = false;
  let deniedLast = false;
  let progressAt = Number.NEGATIVE_INFINITY;
  let later: Timer | undefined;

  /** Each call is told of; what else there is, and the record, once a second at the most, and then what is latest. */
  function reportProgress({ isCall }: { readonly isCall: boolean }): void {
    const task = host.getAppState().tasks[agentId];
    if (task === undefined || isTerminalTaskStatus(task.status)) return;
    const waitMs = progressAt + PROGRESS_INTERVAL_MS - host.activeMs();
    if (isCall || waitMs <= 0) tellProgress();
    if (waitMs > 0) {
      later ??= setTimeout(() => {
        later = undefined;
        reportProgress({ isCall: false });
      }, waitMs).unref();
      return;
    }
    progressAt = host.activeMs();
    // Progress carries no promise: one that cannot be written is left out.
    void host.ledger.patchTask(agentId, task.attempt, { detail: progressDetail() }).catch(() => undefined);
  }

  function tellProgress(): void {
    host.emit({
      type: "task.progress",
      task_id: agentId,
      parent_task_id: parentId,
      token_count: totalTokens(own.totals().usage),
      tool_use_count: toolUseCount,
      recent_activities: [...activities],
    });
  }

  function addRequest(model: string, usage: Usage, durationMs: number): void {
    const { usd, estimated: isEstimated } = priceOf(model, usage, prices);
    for (const totals of [own, tree]) totals.add({ model, usage, usd, isEstimated, durationMs });
  }

  function progressDetail() {
    const lastActivity = activities.at(-1);
    const { usage, costUsd } = own.totals();
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
      case "text_delta":
        openText += event.text;
        return;
      case "side_request":
        if (event.purpose === "dropped") openText = "";
        addRequest(event.model, event.usage, event.apiDurationMs);
        return;
      case "turn_start":
        turnCount = event.turn;
        return;
      case "message_completed":
        addRequest(event.model, event.usage, event.apiDurationMs);
        lastText = messageText(event.message) || lastText;
        openText = "";
        deniedInTurn = false;
        hasWorkedInTurn = false;
        return;
      case "tool_started":
        toolUseCount++;
        // An answer that is given through a call is a last message and no work.
        hasWorkedInTurn ||= event.call.name !== SYNTHETIC_OUTPUT;
        activities = [...activities, activity(event.call)].slice(-RECENT_ACTIVITIES_MAX);
        return;
      case "permission_denied":
        denials.push(event.denial);
        tree.refuse(isRoot ? event.denial : { ...event.denial, agentId });
        deniedInTurn = true;
        return;
      case "tool_results":
        if (hasWorkedInTurn) deniedLast = deniedInTurn;
        return;
      case "api_retry":
        openText = "";
        return;
      case "permission_asked":
      case "permission_allowed":
      case "tool_completed":
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
      const body = agentEventBody({ agentId, parentId }, event);
      if (body !== undefined) host.emit(body);
      const isCall = event.type === "tool_started";
      if (isCall || event.type === "message_completed" || event.type === "tool_results") reportProgress({ isCall });
    },
    totals: () => ({ ...NO_WORK, ...own.totals(), turnCount, denials }),
    detail: progressDetail,
    lastText: () => openText || lastText,
    wasDeniedLast: () => deniedLast,
  };
}
