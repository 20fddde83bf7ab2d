import type { QueryParams } from "../../agent/loop-params.ts";
import { AppError } from "../../core/errors.ts";
import type { ModelClient } from "../../model/client.ts";
import type { IsSameText } from "./loose-text.ts";
import type { Player } from "./player.ts";
import { replayCalls } from "./replay-calls.ts";
import { replayInput } from "./replay-input.ts";
import { replayModel } from "./replay-model.ts";
import type { AgentTape, TapedAgent } from "./run-cassette.ts";
import { sourceOf } from "./run-events-apart.ts";

/** Gives an agent what its recording holds, and nothing else. */
export function replayAgent({ agent, player, isSameText }: { readonly agent: TapedAgent; readonly player: Player; readonly isSameText: IsSameText }): AgentTape {
  const { host, taskId, controller } = agent;
  const input = replayInput(player);
  const modelOf = replayModel({ agent: agent.path, player, isSameText });
  player.onStop = ({ type: _type, scope, ...stop }) => {
    if (scope === "turn") input.interrupt(stop);
    else controller.abort(stop);
  };

  async function open(name: string): Promise<ModelClient> {
    const { limits, error } = player.take("model");
    if (error !== undefined) throw new AppError(error.reason, error.message, { code: error.code });
    if (limits === undefined) throw player.miss(`the recording does not say what fits into the model "${name}"`);
    return modelOf(name, limits);
  }

  function loop(params: QueryParams): QueryParams {
    return {
      ...params,
      input: input.wrap(params.input),
      runCalls: replayCalls(player),
      startsCallsEarly: false,
      keepResult: async () => player.take("kept").path,
      workingState: () => player.take("state").state,
      answer: () => player.takeIf("answer")?.text,
      random: () => player.take("random").value,
      async sleep() {
        // What ended a wait comes; the wait itself does not.
        player.meetStops();
      },
    };
  }

  return {
    // What hangs on time alone is told when the recording tells it.
    host: { ...host, emit: (event) => (sourceOf(event, taskId) === "elsewhere" ? undefined : host.emit(event)) },
    openModel: open,
    input: input.wrap,
    loop,
  };
}
