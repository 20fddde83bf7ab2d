import { makeTemporaryDirectory } from "../../platform/temporary-directory.ts";
import type { ExitCode } from "../../core/exit-code.ts";
import type { CliIo } from "../command.ts";
import { runInForeground } from "./foreground.ts";
import type { ResolvedRun } from "./resolved-run.ts";

/** Runs with a state folder of its own that is gone afterwards: no record, no output, no transcript stays. */
export async function runEphemerally(resolved: ResolvedRun, io: CliIo): Promise<ExitCode> {
  const state = makeTemporaryDirectory();
  try {
    return await runInForeground(resolved, { ...io, env: { ...io.env, AGENT_STATE_DIR: state.path, AGENT_RUNTIME_DIR: state.path } });
  } finally {
    state.remove();
  }
}
