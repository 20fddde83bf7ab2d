import { z } from "zod";
import type { Tool } from "../core/agent.ts";
import { lazySchema } from "../core/schema.ts";
import type { AgentLauncher } from "../tasks/local_agent/index.ts";
import description from "./send-message.md" with { type: "text" };

const MESSAGE_CHARS_MAX = 100_000;

const inputSchema = lazySchema("SendMessageInput", () =>
  z.strictObject({ to: z.string().min(1).max(64).describe("Name or id of an agent"), message: z.string().trim().min(1).max(MESSAGE_CHARS_MAX) }),
);
type SendMessageInput = z.infer<ReturnType<typeof inputSchema>>;

/** The tool with which agents of a run give messages to each other. */
export function createSendMessageTool(launcher: Pick<AgentLauncher, "send">): Tool<SendMessageInput> {
  return {
    name: "SendMessage",
    description,
    inputSchema,
    access: () => ({ kind: "none" }),
    isReadOnly: () => false,
    // Messages arrive in the order of the calls.
    isConcurrencySafe: () => false,
    maxResultBytes: 2_000,
    async call({ to, message }, context) {
      const { id, isWoken } = await launcher.send({ to, text: message }, context);
      return { content: isWoken ? `Agent ${id} had ended and goes on with your message in the background. You are told when it ends.` : `Agent ${id} reads it between two steps of its work.` };
    },
  };
}
