import { createHash } from "node:crypto";
import type { ToolUseBlock } from "../core/message.ts";
import type { Verdict } from "../core/permission.ts";
import type { PreparedCall } from "./prepared-call.ts";

/** What becomes of a call that is not permitted. */
export function refusedPlan(call: ToolUseBlock, verdict: Verdict): PreparedCall["plan"] {
  return {
    type: "denied",
    verdict,
    denial: {
      tool: call.name,
      toolUseId: call.id,
      inputDigest: createHash("sha256").update(JSON.stringify(call.input)).digest("hex"),
      rule: verdict.rule ?? null,
      layer: verdict.layer ?? null,
      reason: verdict.reason,
    },
  };
}
