import type { RunEventBody } from "../../src/core/stream-event.ts";
import type { TaskHost } from "../../src/core/task-host.ts";
import { childEnvironment } from "../../src/platform/child-env.ts";
import { openStateDirectory } from "../../src/platform/state-directory.ts";
import type { WriteSync } from "../../src/platform/write-fully.ts";
import { createAppStore } from "../../src/runtime/app-store.ts";
import { type Ledger, openLedger } from "../../src/store/ledger.ts";
import { openTaskOutputs } from "../../src/store/task-output.ts";
import { UNSUPERVISED } from "./unsupervised.ts";
import { tempDir } from "./temp-dir.ts";

/** A real task host over a state folder of its own, as a run has it, with its ledger and its events in view. */
export interface TestTaskHost extends TaskHost {
  readonly ledger: Ledger;
  readonly events: RunEventBody[];
  /** A directory for the test's own files. */
  readonly workspace: string;
  [Symbol.dispose](): void;
}

/** @param options.write the system call behind output files: one that throws is a full disk */
export function testTaskHost(options: { readonly outputBytesMax?: number; readonly write?: WriteSync } = {}): TestTaskHost {
  const state = tempDir();
  const workspace = tempDir();
  const directory = openStateDirectory({ state: `${state.path}/state` });
  const ledger = openLedger(directory);
  const events: RunEventBody[] = [];
  const store = createAppStore();
  return {
    runId: "run-1",
    sessionId: "session-1",
    ledger,
    outputs: openTaskOutputs(directory, { bytesMax: options.outputBytesMax ?? Number.MAX_SAFE_INTEGER, ...(options.write === undefined ? {} : { write: options.write }) }),
    getAppState: store.get,
    setAppState: store.set,
    onStateChange: store.subscribe,
    now: () => Date.now(),
    activeMs: () => performance.now(),
    emit: (event) => void events.push(event),
    childEnv: childEnvironment(process.env, { set: { AGENT_RUN_ID: "run-1" } }),
    supervision: UNSUPERVISED,
    statePath: directory.path,
    worktrees: new Map(),
    events,
    workspace: workspace.path,
    [Symbol.dispose]() {
      ledger.close();
      directory.close();
      state[Symbol.dispose]();
      workspace[Symbol.dispose]();
    },
  };
}
