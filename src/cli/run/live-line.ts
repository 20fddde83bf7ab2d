import type { AgentEvent } from "../../core/agent.ts";
import { totalTokens } from "../../core/usage.ts";
import { formatDuration } from "../../lib/duration.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { activity } from "../../runtime/agent-report.ts";
import type { CliIo } from "../command.ts";

/** One line at the bottom of a terminal that says what the run does right now. Without a terminal it shows nothing. */
export interface LiveLine {
  update(event: AgentEvent): void;
  /** Prints text for good, above the line. */
  above(text: string): void;
  /** Takes the line away while something else writes to the same terminal. */
  aside(write: () => void): void;
  clear(): void;
}

const REFRESH_MS = 1_000;
const CLEAR_LINE = "\r\u001b[K";

export function createLiveLine({ io, isShown, hasColor }: { readonly io: CliIo; readonly isShown: boolean; readonly hasColor: boolean }): LiveLine {
  const startedAt = Date.now();
  const columns = Math.max(20, Number(io.env["COLUMNS"]) || 80);
  let turn = 0;
  let tokens = 0;
  let doing = "";
  let isDrawn = false;
  const timer = isShown ? setInterval(draw, REFRESH_MS) : undefined;
  timer?.unref();

  function draw(): void {
    if (!isShown) return;
    const parts = [`turn ${turn}`, doing, `${tokens} tokens`, formatDuration(Date.now() - startedAt)].filter((part) => part !== "");
    const text = Bun.sliceAnsi(parts.join(" · "), 0, columns - 1);
    void io.stderr.write(`${CLEAR_LINE}${hasColor ? `\u001b[2m${text}\u001b[0m` : text}`);
    isDrawn = true;
  }

  function erase(): void {
    if (isDrawn) void io.stderr.write(CLEAR_LINE);
    isDrawn = false;
  }

  return {
    update(event) {
      if (event.type === "turn_start") {
        turn = event.turn;
        doing = "thinking";
      } else if (event.type === "message_completed") tokens += totalTokens(event.usage);
      else if (event.type === "tool_started") doing = visibleText(activity(event.call));
      else return;
      draw();
    },
    above(text) {
      erase();
      void io.stderr.write(text);
    },
    aside(write) {
      erase();
      write();
    },
    clear() {
      clearInterval(timer);
      erase();
    },
  };
}
