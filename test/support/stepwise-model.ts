import { reply, text, toolUse, type ApiReply } from "./api-reply.ts";
import { messagesOf } from "./request-messages.ts";
import type { ApiRequest } from "./scripted-api-server.ts";

/** The input of a call of Bash. */
export interface BashCall {
  readonly command: string;
  readonly run_in_background?: boolean;
}

/**
 * A model that goes through a plan, one step a reply, and then has nothing more to do. Where it is in the plan it sees in
 * the conversation: one that was broken off goes on where it was.
 */
export function stepwiseModel(plan: readonly (readonly BashCall[])[]): (request: ApiRequest) => ApiReply {
  return (request) => {
    const step = messagesOf(request).filter(({ role }) => role === "assistant").length;
    const calls = plan[step];
    if (calls === undefined) return reply(text("nothing left"));
    return reply(...calls.map((input, index) => toolUse("Bash", input, `toolu_${step}_${index}`)));
  };
}
