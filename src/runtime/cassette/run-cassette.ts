import type { QueryParams } from "../../agent/loop-params.ts";
import type { TurnInput } from "../../agent/turn-input.ts";
import type { AgentPath } from "../../core/cassette.ts";
import type { TaskHost } from "../../core/task-host.ts";
import type { TaskId } from "../../core/task.ts";
import type { ModelClient } from "../../model/client.ts";
import type { RunOutcome } from "../run-outcome.ts";
import type { RunObserver } from "../run-params.ts";
import type { RunResultBody } from "../run-result.ts";

/** A run that is being recorded, or that comes from a recording. The places that know of it do not tell the two apart. */
export interface RunCassette {
  /** Who watches the run, and the cassette with them. */
  observe(observer: RunObserver): RunObserver;
  agent(agent: TapedAgent): AgentTape;
  /** What the work came to, where the cassette has a say in it. */
  outcome(outcome: RunOutcome): RunOutcome;
  result(body: RunResultBody): RunResultBody;
  close(): void;
}

export interface TapedAgent {
  readonly path: AgentPath;
  readonly taskId: TaskId;
  readonly host: TaskHost;
  /** Ends the work of the agent; abort it with a `RunStop`. */
  readonly controller: AbortController;
}

/** One agent's part of a cassette. A replay throws an `AppError` of reason `replay_miss` wherever the two part. */
export interface AgentTape {
  /** Where the events of the agent's work go. */
  readonly host: TaskHost;
  /** `open` is called where a model is needed. */
  openModel(model: string, open: () => Promise<ModelClient>): Promise<ModelClient>;
  /** What comes in before the loop has begun. */
  input(input: TurnInput): TurnInput;
  /** What the loop works with. */
  loop(params: QueryParams): QueryParams;
}
