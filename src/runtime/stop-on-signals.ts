import type { RunStop } from "./run-request.ts";

const STOPS: Readonly<Record<"SIGINT" | "SIGTERM" | "SIGHUP", RunStop>> = {
  SIGINT: { reason: "interrupted", message: "Interrupted" },
  SIGTERM: { reason: "terminated", message: "Terminated by SIGTERM" },
  SIGHUP: { reason: "hangup", message: "The terminal was closed" },
};

/**
 * Turns signals into a stop of the run.
 *
 * @param options.onStop called at the first signal
 * @param options.onForce called at the second SIGINT or SIGTERM: the user does not want to wait any longer
 * @param options.hangup what SIGHUP does; a detached run has no terminal to lose
 */
export function stopOnSignals(options: {
  readonly onStop: (stop: RunStop) => void;
  readonly onForce?: (stop: RunStop) => void;
  readonly hangup: "stop" | "ignore";
}): { restore(): void } {
  let isStopping = false;
  const handlers = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
    const handler = () => {
      if (signal === "SIGHUP" && options.hangup === "ignore") return;
      if (isStopping) {
        if (signal !== "SIGHUP") options.onForce?.(STOPS[signal]);
        return;
      }
      isStopping = true;
      options.onStop(STOPS[signal]);
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  return {
    restore() {
      for (const { signal, handler } of handlers) process.off(signal, handler);
    },
  };
}
