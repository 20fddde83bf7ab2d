import { AppError, errorMessage } from "../../core/errors.ts";
import { readTextFile } from "../../platform/read-text-file.ts";
import { hasStdin, readStdin } from "../../platform/stdin.ts";
import type { CliIo } from "../command.ts";

/** How long a pipe may stay silent before a run that has a prompt already goes on without it. */
const SILENT_STDIN_MS = 3_000;
export const PROMPT_BYTES_MAX = 10 * 1_048_576;

/** Throws `AppError` of reason `usage` when a prompt can come from nowhere. Reads and waits for nothing. */
export function requirePromptSource(values: PromptValues, io: CliIo): void {
  if (values["prompt-file"] !== undefined || (values.prompt !== undefined && values.prompt !== "-")) return;
  if (io.isStdinTty || !hasStdin()) throw new AppError("usage", 'Nothing to do: give a prompt, as in "agent run \\"say hi\\"", or pipe one in');
}

/** Whether the command line itself names a prompt: a pipe that happens to be there does not count. */
export function hasPromptSource(values: PromptValues): boolean {
  return values["prompt-file"] !== undefined || values.prompt !== undefined;
}

interface PromptValues {
  readonly prompt: string | undefined;
  readonly "prompt-file": string | undefined;
}

/**
 * The prompt of a run: from the argument, `--prompt-file` or standard input. What comes through a pipe beside an argument
 * is attached to it as a quoted block. Throws `AppError` of reason `usage` when there is nothing to do.
 */
export async function readPrompt(values: PromptValues, io: CliIo): Promise<string> {
  const given = argumentPrompt(values);
  if (given === undefined) {
    return checked((await readStdin({ bytesMax: PROMPT_BYTES_MAX })) ?? "");
  }
  if (io.isStdinTty || !hasStdin()) return checked(given);
  const attached = (await readStdin({ bytesMax: PROMPT_BYTES_MAX, silentMsMax: SILENT_STDIN_MS }))?.trimEnd();
  return checked(attached === undefined || attached === "" ? given : `${given}\n\n<stdin>\n${attached}\n</stdin>`);
}

function argumentPrompt(values: PromptValues): string | undefined {
  const file = values["prompt-file"];
  if (file === undefined) return values.prompt === "-" ? undefined : values.prompt;
  if (values.prompt !== undefined) throw new AppError("usage", "Two prompts: give the argument or --prompt-file, not both");
  try {
    const read = readTextFile(file, { bytesMax: PROMPT_BYTES_MAX, followLinks: true });
    if (read === undefined) throw new AppError("usage", `Cannot read the prompt from "${file}": it is not a file`);
    if (read.isCut) throw tooLong();
    return read.text;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("usage", `Cannot read the prompt from "${file}": ${errorMessage(error)}`, { cause: error });
  }
}

function checked(prompt: string): string {
  if (prompt.trim() === "") throw new AppError("usage", "Nothing to do: the prompt is empty");
  if (Buffer.byteLength(prompt) > PROMPT_BYTES_MAX) throw tooLong();
  return prompt;
}

function tooLong(): AppError {
  return new AppError("usage", `The prompt is longer than ${PROMPT_BYTES_MAX} bytes: put the rest into files`);
}
