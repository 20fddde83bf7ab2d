import type { RunCalls } from "../../agent/run-tool-calls.ts";
import type { Player } from "./player.ts";

/** Answers calls with what was recorded of them. Runs nothing. */
export function replayCalls(player: Player): RunCalls {
  // oxlint-disable-next-line typescript/require-await -- recorded results are there at once
  return async function* (calls) {
    const { events, message } = player.take("results");
    const answered = message.content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
    if (calls.map(({ id }) => id).join(" ") !== answered.join(" ")) throw player.miss(`the recorded results are those of other calls: ${answered.join(", ")}`);
    yield* events;
    return message;
  };
}
