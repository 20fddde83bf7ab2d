import type { AgentEvent } from "../../core/agent.ts";
import type { RunObserver } from "../../runtime/run-params.ts";
import type { RunResult } from "../../runtime/run-result.ts";
import type { CliIo } from "../command.ts";
import { createLiveLine } from "./live-line.ts";
import { createLog, type LogLevel, logLevelOf } from "../log.ts";
import { describeDenial, describeOutcome } from "./describe-outcome.ts";
import type { ResolvedRun } from "./resolve-request.ts";
import { createTextStream } from "./text-stream.ts";
import { activity } from "../../runtime/agent-report.ts";
import { visibleText } from "../../lib/visible-text.ts";

/** Shows a run in the foreground: the answer or the machine format on stdout, everything else on stderr. */
export interface RunDisplay extends RunObserver {
  /** Tells a person something, unless they want to hear nothing. */
  say(text: string): void;
  /** Prints what comes last, and resolves when all of it is written. */
  finish(result: RunResult): Promise<void>;
}

const LEVELS: Readonly<Partial<Record<ResolvedRun["verbosity"], LogLevel>>> = { quiet: "error", verbose: "debug" };

export function createRunDisplay({ request, format, verbosity, hasColor }: ResolvedRun, io: CliIo): RunDisplay {
  const isShell = request.work.type === "shell";
  const text = format === "text" && io.isStdoutTty && !isShell ? createTextStream(io.stdout) : undefined;
  const live = createLiveLine({ io, isShown: io.isStderrTty && verbosity !== "quiet" && !isShell && io.env["CI"] === undefined, hasColor });
  const log = createLog({ write: async (line) => live.above(line) }, { level: LEVELS[verbosity] ?? logLevelOf(io.env) });
  for (const warning of request.warnings) log.warn(warning);
  // Resolves when the reader of stdout has caught up.
  let room: Promise<void> = Promise.resolve();

  return {
    onEvent(event, line) {
      if (format === "stream-json" || (format === "json" && event.type === "run.result")) room = io.stdout.write(line);
    },
    onAgentEvent(event) {
      live.update(event);
      show(event);
      return room;
    },
    say: (message) => log.warn(message),
    onOutput: (bytes) => (format === "text" ? io.stdout.writeBytes(bytes) : undefined),
    async finish(result) {
      live.clear();
      if (format === "text" && !isShell && text === undefined && result.result !== "" && result.status === "completed") await io.stdout.write(`${result.result}\n`);
      for (const line of describeOutcome(result)) await io.stderr.write(`agent: ${visibleText(line)}\n`);
      await io.stdout.drain();
    },
  };

  function show(event: AgentEvent): void {
    switch (event.type) {
      case "text_delta":
        if (text !== undefined) live.aside(() => text.add(event.text));
        return;
      case "message_completed":
        if (text !== undefined) live.aside(() => text.endMessage());
        return;
      case "tool_started":
        log.debug(activity(event.call));
        return;
      case "permission_denied":
        log.warn(describeDenial(event.call, event.verdict));
        return;
      case "api_retry":
        log.warn(`Request failed (${event.error}); attempt ${event.attempt + 1} in ${(event.delayMs / 1_000).toFixed(1)} s`);
        return;
      default:
        return;
    }
  }
}
