import { readFileSync } from "node:fs";

/** A command line that runs another one with system calls that fail. */
export interface FaultInjection {
  readonly argv: readonly string[];
  /** The calls on the named files, one a line, when it has ended. */
  calls(name: string): string[];
}

/**
 * @param options.inject as strace(1) takes it: `write:error=EIO:when=1+`
 * @param options.paths the files on which the calls fail
 * @param options.log a file for the list of calls
 */
export function withFaults(command: readonly string[], options: { readonly inject: string; readonly paths: readonly string[]; readonly log: string }): FaultInjection {
  const { inject, paths, log } = options;
  const [names] = inject.split(":", 1);
  return {
    argv: ["strace", "-f", "-qqq", "-o", log, "-e", `trace=${names}`, "-e", `inject=${inject}`, ...paths.flatMap((path) => ["-P", path]), ...command],
    calls: (name) => readFileSync(log, "utf8").split("\n").filter((line) => new RegExp(`^\\d+ +${name}\\(`).test(line)),
  };
}
