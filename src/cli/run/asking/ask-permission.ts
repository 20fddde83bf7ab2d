import type { PermissionQuestion, PermissionReply } from "../../../core/permission.ts";
import { type TerminalInput, terminalInput } from "../../../platform/terminal-input.ts";
import { questionText } from "./question-text.ts";
import type { Screen } from "../screen.ts";

/**
 * Asks the person at the terminal about one call. Only what they type when they see the question is an answer, and only
 * one of the letters that are offered, alone on its line; an empty line and the end of the input are a refusal.
 *
 * @param params.input the terminal, for tests
 */
export async function askPermission(
  question: PermissionQuestion,
  { screen, signal, input = terminalInput }: { readonly screen: Screen; readonly signal: AbortSignal; readonly input?: TerminalInput },
): Promise<PermissionReply> {
  if (signal.aborted) return "unanswered";
  if (!input.isOurs()) return "unasked";
  const { text, replies } = questionText(question);
  const stopListening = input.onResumed(() => screen.note(text));
  signal.addEventListener("abort", screen.endQuestion, { once: true });
  try {
    await screen.question(text);
    return await readReply(replies, { screen, signal, input });
  } finally {
    signal.removeEventListener("abort", screen.endQuestion);
    stopListening();
    screen.endQuestion();
  }
}

async function readReply(
  replies: ReadonlyMap<string, PermissionReply>,
  { screen, signal, input }: { readonly screen: Screen; readonly signal: AbortSignal; readonly input: TerminalInput },
): Promise<PermissionReply> {
  for (;;) {
    // Whatever was typed before the question could be read is no answer to it.
    input.discard();
    if (!signal.aborted) await screen.prompt(`Answer ${letters(replies)}: `);
    const line = await input.readLine(signal);
    if (signal.aborted) return "unanswered";
    if (line === undefined) return "refused";
    screen.endPrompt();
    const reply = line === "" ? "refused" : replies.get(line.toLowerCase());
    if (reply !== undefined) return reply;
  }
}

/** `y, r, a or n` */
function letters(replies: ReadonlyMap<string, PermissionReply>): string {
  const [last, ...others] = [...replies.keys()].toReversed();
  return `${others.toReversed().join(", ")} or ${last}`;
}
