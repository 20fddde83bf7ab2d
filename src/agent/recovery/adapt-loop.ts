import type { RequestRepair } from "../../model/request-repair.ts";
import type { LoopState } from "../loop-state.ts";

/** Changes what is sent from now on, as one refusal of the service asks for. */
export async function adaptTo(repair: RequestRepair, loop: LoopState): Promise<void> {
  switch (repair.type) {
    case "drop_parameter":
      loop.adaptation = { ...loop.adaptation, without: [...(loop.adaptation.without ?? []), repair.name] };
      return;
    case "system_as_text":
      loop.adaptation = { ...loop.adaptation, systemAsText: true };
      return;
    case "lower_output_limit":
      loop.outputTokensMax = Math.min(loop.outputTokensMax, repair.outputTokensMax);
      return;
    case "drop_thinking":
      return await loop.conversation.edit({ type: "drop_thinking" });
    case "drop_unknown_blocks":
      return await loop.conversation.edit({ type: "drop_unknown" });
    case "fix_pairing":
      return await loop.conversation.edit({ type: "fix_pairing" });
    case "fix_encoding":
      return await loop.conversation.edit({ type: "fix_encoding" });
  }
}
