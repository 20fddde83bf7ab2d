import type { QueryParams } from "../../agent/loop-params.ts";
import type { AgentContext, AgentScene, AgentEvent, Tool } from "../../core/agent.ts";
import type { AgentDefinitions } from "../../core/agent-definition.ts";
import type { PermissionMode } from "../../core/permission.ts";
import type { PriceTable } from "../../core/price-table.ts";
import type { TaskId } from "../../core/task.ts";
import type { ModelClient } from "../../model/client.ts";
import type { PrefixGate } from "../../model/prefix-gate.ts";
import type { AskPermission } from "../asking/ask-permission.ts";
import type { OpenRun } from "../open-run.ts";
import type { PermissionCheck } from "../permission-check.ts";
import type { RootInput } from "../root-input.ts";
import type { SubagentLimits } from "../run-request.ts";
import type { OutgoingMessage } from "../send-message.ts";
import type { TreeTotals } from "../tree-totals.ts";
import type { AgentBudget } from "./agent-budget.ts";

/** What all agents of a run have in common. Made once, by the root agent; the others are started with it. */
export interface AgentWorld {
  readonly run: OpenRun;
  readonly definitions: AgentDefinitions;
  /** All tools of the run in their order, the one that starts agents among them. */
  readonly tools: readonly Tool[];
  /** The model of the run. */
  readonly model: string;
  /** Opens a model by id or alias; requests of all agents wait for their turn together. What a recording holds comes in between for the root alone. */
  readonly openModel: (model: string) => Promise<ModelClient>;
  readonly fallbacks: NonNullable<QueryParams["fallbacks"]>;
  /** What keeps the agents within the limits of the run. */
  readonly limits: Pick<QueryParams, "budget" | "waitMsMax" | "startsCallsEarly">;
  readonly limitCalls: () => Pick<QueryParams, "runCalls">;
  /** Takes note of what a subagent does; what it says itself is not told to whoever watches the root. */
  readonly onSubagentEvent: (event: AgentEvent) => Promise<void> | void;
  /** Asks a person; absent where nobody is there. */
  readonly askPermission?: AskPermission;
  readonly permissionCheck: PermissionCheck;
  /** How agents are asked for that run beside others; what is the same for all agents. */
  readonly loop: Pick<QueryParams, "turnsMax" | "outputTokensMax" | "attemptsMax">;
  readonly prices: PriceTable;
  readonly totals: TreeTotals;
  /** Lets forks of one reply ask one after the other at first. */
  readonly gateOf: (scene: AgentScene) => PrefixGate;
  /** Lets an agent of the conversation that has ended go on with a message from outside, for the root. */
  readonly wake: (id: TaskId, message: OutgoingMessage, root: AgentContext) => Promise<void>;
  /** The doors into the conversations of the agents that work now. */
  readonly inputs: Map<TaskId, RootInput>;
  /** What agents may spend that have a budget of their own, while they work. */
  readonly budgets: Map<TaskId, AgentBudget>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly subagents: SubagentLimits;
}

/** Where an agent works and how much is let through to it. */
export interface PermissionPlace {
  readonly cwd: string;
  readonly directories: readonly string[];
  readonly mode: PermissionMode;
}
