import type { WorkingState } from "../../agent/compaction/summary.ts";
import type { AgentEvent, ModelErrorClass } from "../../core/agent.ts";
import type { AgentPath, CASSETTE_VERSION } from "../../core/cassette.ts";
import type { ExitReason } from "../../core/exit-code.ts";
import type { Message, UserMessage } from "../../core/message.ts";
import type { RunEventBody } from "../../core/stream-event.ts";
import type { ModelErrorOptions, ModelEvent, ModelRequest } from "../../model/client.ts";
import type { ModelLimits } from "../../model/model-limits.ts";
import type { RunResultBody } from "../run-result.ts";
import type { RunStop } from "../run-request.ts";

/** A line of a cassette without its time. `cassetteLineSchema` describes the same for readers elsewhere. */
export type CassetteLine = CassetteHeader | AgentLine | EndLine;

export interface CassetteHeader {
  readonly v: typeof CASSETTE_VERSION;
  readonly type: "cassette";
  readonly program: string;
  readonly cwd: string;
  readonly home: string;
  readonly tmp: string;
  readonly resumed?: true;
}

/** What belongs to one agent. Within an agent, lines are taken in their order; agents do not wait for each other. */
export type AgentLine = { readonly agent: AgentPath } & (TapeLine | EventLine);

/** What the loop of an agent got from outside itself. */
export type TapeLine =
  | { readonly type: "model"; readonly model: string; readonly limits?: ModelLimits; readonly error?: { readonly reason: ExitReason; readonly code: string; readonly message: string } }
  | RequestLine
  | ReplyLine
  | ResultsLine
  | { readonly type: "kept"; readonly path: string }
  | { readonly type: "input"; readonly at: "pending" | "ended" | "interrupted"; readonly input: readonly { readonly text: string }[] | null }
  | { readonly type: "state"; readonly state: WorkingState }
  | { readonly type: "random"; readonly value: number }
  | { readonly type: "answer"; readonly text: string }
  | StopLine;

export interface RequestLine extends Omit<ModelRequest, "system" | "tools" | "messages"> {
  readonly type: "request";
  readonly model: string;
  readonly isWhole?: true;
  /** Absent where they are as in the request before. */
  readonly system?: ModelRequest["system"];
  readonly tools?: ModelRequest["tools"];
  /** The first `kept` messages of the request before, then `added`: a conversation is not written anew each time. */
  readonly messages: { readonly kept: number; readonly added: readonly Message[] };
}

export interface ReplyLine {
  readonly type: "reply";
  readonly events: readonly ModelEvent[];
  readonly error?: { readonly class: ModelErrorClass; readonly message: string } & Omit<ModelErrorOptions, "cause">;
}

export interface ResultsLine {
  readonly type: "results";
  readonly events: readonly AgentEvent[];
  readonly message: UserMessage;
}

/** `turn`: somebody interrupted the agent and its conversation went on. */
export interface StopLine extends RunStop {
  readonly type: "stop";
  readonly scope: "run" | "turn";
}

/** An event of the run that does not come out of the loop itself. */
export interface EventLine {
  readonly type: "event";
  /** How many events of the loop stand before it. */
  readonly after: number;
  /** Agents are named by their paths. */
  readonly body: RunEventBody;
}

export interface EndLine extends Pick<RunResultBody, "result" | "structured_output" | "children" | "error"> {
  readonly type: "end";
  readonly reason: ExitReason;
}
