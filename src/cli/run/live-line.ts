import type { AgentEvent } from "../../core/agent.ts";
import { totalTokens } from "../../core/usage.ts";
import { formatDuration } from "../../lib/duration.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { activity } from "../../runtime/activity.ts";

/** One line that says what the run does right now: turn, tool, tokens, time. */
export interface LiveLine {
  update(event: AgentEvent): void;
  stop(): void;
}

const REFRESH_MS = 1_000;

/**
 * @param options.show gets the line whenever something of it changes, and once a second
 * @param options.columns the width of the terminal
 */
export function createLiveLine(options: {
  readonly show: (line: string) => void;
  readonly columns: number;
  readonly hasColor: boolean;
}): LiveLine {
  const startedAt = performance.now();
  let turn = 0;
  let tokens = 0;
  let doing = "";
  const timer = setInterval(show, REFRESH_MS);
  timer.unref();

  function show(): void {
    const parts = [`turn ${turn}`, doing, `${tokens} tokens`, formatDuration(performance.now() - startedAt)].filter((part) => part !== "");
    const line = Bun.sliceAnsi(parts.join(" · "), 0, options.columns - 1);
    options.show(options.hasColor ? `\u001b[2m${line}\u001b[0m` : line);
  }

  return {
    update(event) {
      if (event.type === "turn_start") {
        turn = event.turn;
        doing = "thinking";
      } else if (event.type === "message_completed") tokens += totalTokens(event.usage);
      else if (event.type === "tool_started") doing = visibleText(activity(event.call));
      else return;
      show();
    },
    stop: () => clearInterval(timer),
  };
}
