import { createConsola, LogLevels } from "consola/core";
import { visibleText } from "../lib/visible-text.ts";
import type { OutputWriter } from "../platform/output-writer.ts";

const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a command says to people beside its answer. Each call is one line on stderr, behind the program's name. */
export type Log = Readonly<Record<LogLevel, (text: string) => void>>;

/**
 * Makes the one kind of log that there is. It has a reporter of its own because those of the package write to stdout as
 * well, which belongs to the answer.
 *
 * @param stderr where lines go; nobody waits for them
 * @param options.level the least important one that is shown
 */
export function createLog(stderr: Pick<OutputWriter, "write">, { level }: { readonly level: LogLevel }): Log {
  const consola = createConsola({
    level: LogLevels[level],
    // Otherwise lines that are repeated come late and once.
    throttle: -1,
    reporters: [{ log: ({ args }) => void stderr.write(`agent: ${visibleText(args.map(String).join(" "))}\n`) }],
  });
  return {
    error: (text) => consola.error(text),
    warn: (text) => consola.warn(text),
    info: (text) => consola.info(text),
    debug: (text) => consola.debug(text),
  };
}

/** The level that AGENT_LOG names, and `info` where it names none. */
export function logLevelOf(env: Readonly<Record<string, string | undefined>>): LogLevel {
  return LOG_LEVELS.find((level) => level === env["AGENT_LOG"]?.toLowerCase()) ?? "info";
}
