import { toolUses, type Message } from "../core/message.ts";

/** What every call of the reply that forks is answered with in the copies, the same in all of them. */
export const FORK_PLACEHOLDER = "Fork started — processing in background";
/** The tag by which a conversation is known to be a fork's, whatever was done to it since. */
const FORK_TAG = "fork-directive";

/**
 * The conversation of a fork: its parent's, to the byte and with the reply that forks, whose calls are all answered by
 * the same placeholder; the directive comes last, so that siblings differ in nothing but that.
 *
 * @param messages the parent's conversation; the last message is the reply that forks
 * @param rules what a fork is told before its directive
 */
export function forkHistory(messages: readonly Message[], { directive, rules }: { readonly directive: string; readonly rules: string }): readonly Message[] {
  const last = messages.at(-1);
  const calls = last?.role === "assistant" ? toolUses(last) : [];
  return [
    ...messages,
    {
      role: "user",
      content: [
        ...calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: FORK_PLACEHOLDER })),
        { type: "text", text: `<${FORK_TAG}>\n${rules.trim()}\n</${FORK_TAG}>\n\n[FORK] ${directive.toWellFormed()}` },
      ],
    },
  ];
}

/** Whether a conversation is a fork's: a fork that was read back from disk is one still. */
export function isForkHistory(messages: readonly Message[]): boolean {
  return messages.some(({ role, content }) => role === "user" && content.some((block) => block.type === "text" && block.text.startsWith(`<${FORK_TAG}>`)));
}
