import type { AgentEvent } from "../core/agent.ts";
import type { AssistantMessage } from "../core/message.ts";
import type { RunEventBody } from "../core/stream-event.ts";
import type { TaskId } from "../core/task.ts";
import { wireUsage } from "./run-result.ts";

/** What the event stream of a run says of an event of an agent; undefined where it says nothing. */
export function agentEventBody(
  { agentId, parentId }: { readonly agentId: TaskId; readonly parentId: TaskId | null },
  event: AgentEvent,
): RunEventBody | undefined {
  const source = { task_id: agentId, parent_task_id: parentId };
  switch (event.type) {
    case "message_completed":
      return { type: "message.completed", ...source, role: "assistant", content: wireContent(event.message), usage: wireUsage(event.usage) };
    case "tool_started":
      return { type: "tool.started", ...source, tool_use_id: event.call.id, name: event.call.name, input: event.call.input };
    case "permission_denied": {
      const { rule, layer, reason } = event.denial;
      return { type: "permission.resolved", ...source, tool_use_id: event.call.id, tool: event.call.name, decision: "deny", by: { rule, layer, reason } };
    }
    case "permission_asked": {
      const { reason, grants = [] } = event.verdict;
      return { type: "permission.requested", ...source, tool_use_id: event.call.id, tool: event.call.name, input: event.call.input, reason, suggestions: [...grants] };
    }
    case "permission_allowed": {
      const { rule = null, layer = null, reason, grants } = event.verdict;
      const by = { rule, layer, reason, ...(grants === undefined ? {} : { grants: [...grants] }) };
      return { type: "permission.resolved", ...source, tool_use_id: event.call.id, tool: event.call.name, decision: "allow", by };
    }
    case "tool_completed":
      return {
        type: "tool.completed",
        ...source,
        tool_use_id: event.call.id,
        name: event.call.name,
        is_error: event.output.isError === true,
        duration_ms: Math.round(event.durationMs),
        content: event.output.content,
      };
    case "api_retry":
      return { type: "api.retry", ...source, attempt: event.attempt, delay_ms: Math.round(event.delayMs), error: event.error };
    case "model_fallback":
      return { type: "model.fallback", ...source, from: event.from, to: event.to, reason: event.reason };
    case "context_compacted":
      return { type: "context.compacted", ...source, layer: event.layer, tokens_before: event.tokensBefore, tokens_after: event.tokensAfter };
    case "compaction_failed":
      return { type: "log", ...source, level: "warn", message: `The conversation could not be summarized: ${event.reason}` };
    case "recovery":
      return { type: "log", ...source, level: "info", message: `Recovery (${event.action}): ${event.reason}` };
    case "side_request":
    case "turn_start":
    case "text_delta":
    case "tool_results":
      return undefined;
  }
}

function wireContent(message: AssistantMessage): Record<string, unknown>[] {
  return message.content.map((block) => (block.type === "unknown" ? { ...block.raw } : { ...block }));
}
