import { AppError } from "../../core/errors.ts";
import { hasStdin, readStdin } from "../../platform/stdin.ts";
import type { CliIo } from "../command.ts";

/** So that it fits into one request to the agent's process, whatever is in it. */
const MESSAGE_BYTES_MAX = 131_072;

/**
 * The words of a message: the argument, or standard input where it is missing or `-`.
 *
 * Throws an `AppError` of reason `usage` when there are none, or too many.
 */
export async function readMessage(argument: string | undefined, io: CliIo): Promise<string> {
  const text = argument === undefined || argument === "-" ? await readPiped(io) : argument;
  if (text.trim() === "") throw new AppError("usage", "Nothing to send: the message is empty");
  if (Buffer.byteLength(text) <= MESSAGE_BYTES_MAX) return text;
  throw new AppError("usage", `The message is longer than ${MESSAGE_BYTES_MAX} bytes: put the rest into a file and name it`);
}

async function readPiped(io: CliIo): Promise<string> {
  if (io.isStdinTty || !hasStdin()) throw new AppError("usage", 'Nothing to send: give a message, as in "agent send ID \\"also run the linter\\"", or pipe one in');
  return ((await readStdin({ bytesMax: MESSAGE_BYTES_MAX })) ?? "").trimEnd();
}
