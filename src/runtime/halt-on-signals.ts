import type { ActiveClock } from "../lib/active-clock.ts";
import type { RunSupervision } from "../platform/supervision.ts";

/**
 * Lets a terminal halt a run (Ctrl-Z) and go on with it: what the run started has sessions of its own, which no terminal
 * reaches, and is halted with it. Time limits do not count the time between.
 *
 * @param options.haltSelf for tests
 */
export function haltOnSignals(options: {
  readonly supervision: Pick<RunSupervision, "halt" | "resume">;
  readonly clock: ActiveClock;
  readonly haltSelf?: () => void;
}): { restore(): void } {
  const { supervision, clock, haltSelf = () => void process.kill(process.pid, "SIGSTOP") } = options;
  const halt = (): void => {
    if (clock.isPaused()) return;
    clock.pause();
    supervision.halt();
    haltSelf();
  };
  const resume = (): void => {
    if (!clock.isPaused()) return;
    supervision.resume();
    clock.resume();
  };
  process.on("SIGTSTP", halt);
  process.on("SIGCONT", resume);
  return {
    restore() {
      process.off("SIGTSTP", halt);
      process.off("SIGCONT", resume);
    },
  };
}
