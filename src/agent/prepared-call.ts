import type { Tool } from "../core/agent.ts";
import type { ToolUseBlock } from "../core/message.ts";
import type { PermissionDenial, Verdict } from "../core/permission.ts";
import type { CallApproval } from "./approved-context.ts";

/** A call that has been looked at: what will become of it. */
export interface PreparedCall {
  readonly call: ToolUseBlock;
  readonly isConcurrencySafe: boolean;
  readonly plan:
    | {
        readonly type: "run";
        readonly tool: Tool;
        readonly input: unknown;
        readonly isReadOnly: boolean;
        /** Set where a person allowed the call. */
        readonly approval?: CallApproval;
      }
    | { readonly type: "denied"; readonly verdict: Verdict; readonly denial: PermissionDenial }
    | { readonly type: "invalid"; readonly message: string };
}
