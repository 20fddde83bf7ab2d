import type { AgentPath } from "../../core/cassette.ts";
import { ModelError, type ModelClient } from "../../model/client.ts";
import type { ModelLimits } from "../../model/model-limits.ts";
import { requestDifference, type AskedRequest } from "./compare-requests.ts";
import type { IsSameText } from "./loose-text.ts";
import type { Player } from "./player.ts";
import { requestOfLine } from "./request-line.ts";

/** Makes the models of one agent: each request has to be the one that was recorded, and gets its recorded reply. */
export function replayModel({ agent, player, isSameText }: { readonly agent: AgentPath; readonly player: Player; readonly isSameText: IsSameText }): (model: string, limits: ModelLimits) => ModelClient {
  let before: AskedRequest | undefined;
  let count = 0;
  return (model, limits) => ({
    model,
    limits,
    // oxlint-disable-next-line typescript/require-await -- a recorded reply is there at once
    async *stream(request, _signal, options) {
      count++;
      const recorded = requestOfLine(player.take("request"), before);
      if (recorded === undefined) throw player.miss(`request ${count} of agent "${agent}" refers to one that is not in the recording`);
      const difference = requestDifference(recorded, { model, ...(options?.isWhole === true ? { isWhole: true } : {}), ...request }, isSameText);
      if (difference !== undefined) throw player.miss(`request ${count} of agent "${agent}" differs from the recording: ${difference}`);
      before = recorded;
      const { events, error } = player.take("reply");
      yield* events;
      if (error !== undefined) throw new ModelError(error.class, error.message, error);
    },
  });
}
