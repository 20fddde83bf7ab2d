import type { AgentEvent } from "../core/agent.ts";
import { messageText, type AssistantBlock, type Message, type ToolUseBlock } from "../core/message.ts";
import type { PermissionDenial } from "../core/permission.ts";
import type { TaskHost } from "../core/task-host.ts";
import type { TaskId } from "../core/task.ts";
import { addUsage, NO_USAGE, totalTokens, type Usage } from "../core/usage.ts";
import { priceOf } from "../model/pricing.ts";
import { NO_WORK, type RunOutcome } from "./run-outcome.ts";
import { wireUsage } from "./run-result.ts";

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
const ACTIVITY_LENGTH_MAX = 120;

export function createAgentReport(params: { readonly agentId: TaskId; readonly model: string; readonly host: TaskHost }): AgentReport {
  const { agentId, model, host } = params;
  const source = { task_id: agentId, parent_task_id: null };
  const denials: PermissionDenial[] = [];
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
  let progressAt = 0;

  function reportProgress(): void {
    const now = host.now();
    if (now - progressAt < PROGRESS_INTERVAL_MS) return;
    progressAt = now;
    const attempt = host.getAppState().tasks[agentId]?.attempt;
    if (attempt === undefined) return;
    host.emit({ type: "task.progress", ...source, token_count: totalTokens(usage), tool_use_count: toolUseCount, recent_activities: [...activities] });
    // Progress carries no promise: one that cannot be written is left out.
    void host.ledger.patchTask(agentId, attempt, { detail: progressDetail() }).catch(() => undefined);
  }

  function addCost(reply: Usage): void {
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

  return {
    add(event) {
      switch (event.type) {
        case "turn_start":
          turnCount = event.turn;
          return;
        case "text_delta":
          return;
        case "message_completed":
          usage = addUsage(usage, event.usage);
          addCost(event.usage);
          apiDurationMs += event.apiDurationMs;
          lastText = messageText(event.message) || lastText;
          deniedInTurn = false;
          host.emit({ type: "message.completed", ...source, role: "assistant", content: wireContent(event.message), usage: wireUsage(event.usage) });
          reportProgress();
          return;
        case "tool_started":
          toolUseCount++;
          activities = [...activities, activity(event.call)].slice(-RECENT_ACTIVITIES_MAX);
          host.emit({ type: "tool.started", ...source, tool_use_id: event.call.id, name: event.call.name, input: event.call.input });
          return;
        case "permission_denied": {
          denials.push(event.denial);
          deniedInTurn = true;
          const { rule, layer, reason } = event.denial;
          host.emit({ type: "permission.resolved", ...source, tool_use_id: event.call.id, tool: event.call.name, decision: "deny", by: { rule, layer, reason } });
          return;
        }
        case "tool_completed":
          host.emit({
            type: "tool.completed",
            ...source,
            tool_use_id: event.call.id,
            name: event.call.name,
            is_error: event.output.isError === true,
            duration_ms: Math.round(event.durationMs),
            content: event.output.content,
          });
          return;
        case "tool_results":
          deniedLast = deniedInTurn;
          reportProgress();
          return;
        case "api_retry":
          host.emit({ type: "api.retry", ...source, attempt: event.attempt, delay_ms: Math.round(event.delayMs), error: event.error });
          return;
      }
    },
    totals() {
      return {
        ...NO_WORK,
        turnCount,
        usage,
        usageByModel: turnCount === 0 ? {} : { [model]: usage },
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

/** One short line about a call: the tool and the value that says most. */
export function activity(call: ToolUseBlock): string {
  const input: Readonly<Record<string, unknown>> = typeof call.input === "object" && call.input !== null ? { ...call.input } : {};
  const subject = input["command"] ?? input["file_path"] ?? input["pattern"] ?? input["task_id"];
  const text = typeof subject === "string" ? `${call.name} ${subject.split("\n", 1)[0] ?? ""}` : call.name;
  return text.length > ACTIVITY_LENGTH_MAX ? `${text.slice(0, ACTIVITY_LENGTH_MAX - 1)}…` : text;
}

function wireContent(message: Message): Record<string, unknown>[] {
  return message.content.map((block) => (block.type === "unknown" ? { ...(block as AssistantBlock & { type: "unknown" }).raw } : { ...block }));
}
