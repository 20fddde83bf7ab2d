import type { AgentEvent } from "../../core/agent.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { activity } from "../../runtime/activity.ts";
import type { RunObserver, RunParams } from "../../runtime/run-params.ts";
import type { RunResult } from "../../runtime/run-result.ts";
import { encodeEventLine } from "../../store/event-log.ts";
import type { CliIo } from "../command.ts";
import { createLog, type LogLevel, logLevelOf } from "../log.ts";
import { terminalWidth } from "../terminal-width.ts";
import { loadAskPermission } from "./asking/registry.ts";
import { describeDenial, describeOutcome } from "./describe-outcome.ts";
import { isWatched, mayAsk } from "./is-watched.ts";
import { createLiveLine } from "./live-line.ts";
import type { ResolvedRun } from "./resolved-run.ts";
import { createScreen } from "./screen.ts";
import { createTextStream } from "./text-stream.ts";

/** Shows a run in the foreground: the answer or the machine format on stdout, everything else on stderr. */
export interface RunDisplay extends RunObserver {
  /** Tells a person something, unless they want to hear nothing. */
  say(text: string): void;
  /** Absent where nobody can be asked. */
  readonly askUser?: RunParams["askUser"];
  /** Prints what comes last, and resolves when all of it is written. */
  finish(result: RunResult): Promise<void>;
}

const LEVELS: Readonly<Partial<Record<ResolvedRun["verbosity"], LogLevel>>> = { quiet: "error", verbose: "debug" };

export function createRunDisplay(resolved: ResolvedRun, io: CliIo): RunDisplay {
  const { request, format, verbosity, hasColor } = resolved;
  const isShell = request.work.type === "shell";
  const isProse = request.work.type === "agent" && request.work.outputSchema === undefined;
  const hasStatus = isWatched(resolved, io);
  const screen = createScreen(io, { hasStatus, isAnswerOnTerminal: io.isStdoutTty });
  const text = format === "text" && io.isStdoutTty && isProse ? createTextStream(screen.answer) : undefined;
  const live = hasStatus ? createLiveLine({ show: screen.status, columns: statusColumns(io), hasColor }) : undefined;
  const log = createLog({ write: async (line) => screen.note(line) }, { level: LEVELS[verbosity] ?? logLevelOf(io.env) });
  for (const warning of request.warnings) log.warn(warning);
  const told = [...request.warnings];
  // Resolves when the reader of stdout has caught up.
  let room: Promise<void> = Promise.resolve();

  return {
    onEvent(event, line) {
      if (format === "stream-json") room = io.stdout.write(line);
      // The limit of a line in the stream is none for an object that comes alone.
      else if (format === "json" && event.type === "run.result") room = io.stdout.write(encodeEventLine(event));
    },
    onAgentEvent(event) {
      live?.update(event);
      show(event);
      return room;
    },
    say: (message) => log.warn(message),
    ...(mayAsk(resolved, io) ? { askUser: async (question, signal) => await (await loadAskPermission()).askPermission(question, { screen, signal }) } : {}),
    onWarning(warning) {
      told.push(warning);
      log.warn(warning);
    },
    onStateAsked: (line) => screen.note(`agent: ${visibleText(line)}\n`),
    onOutput: (bytes) => (format === "text" ? io.stdout.writeBytes(bytes) : undefined),
    async finish(result) {
      live?.stop();
      if (format === "text" && !isShell && text === undefined && result.result !== "" && result.status === "completed") screen.answer(`${result.result}\n`);
      const outcome = describeOutcome(result, { told, isMessageShown: text !== undefined });
      for (const warning of outcome.warnings) log.warn(warning);
      for (const line of outcome.failure) log.error(line);
      await screen.close();
      await io.stdout.drain();
    },
  };

  function show(event: AgentEvent): void {
    switch (event.type) {
      case "text_delta":
        text?.add(event.text);
        return;
      case "message_completed":
        text?.endMessage();
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

const STATUS_COLUMNS_MIN = 20;
const STATUS_COLUMNS = 80;

function statusColumns(io: CliIo): number {
  return Math.max(STATUS_COLUMNS_MIN, terminalWidth(io, 2) ?? STATUS_COLUMNS);
}
