import { AppError } from "../../core/errors.ts";
import { createColoredTerminalText } from "../../lib/colored-terminal-text.ts";
import { parseTranscriptLine } from "../../store/transcript-entry.ts";
import type { CliIo } from "../command.ts";
import type { OutputPiece } from "./follow-output.ts";
import { renderTranscriptEntry } from "./render-transcript.ts";
import { wholeLines } from "./whole-lines.ts";
import { visibleJson } from "../../lib/visible-json.ts";

/** Prints an output file and resolves to the offset behind what it printed; undefined where that was nothing. */
export type LogPrinter = (pieces: AsyncIterable<OutputPiece>, io: CliIo) => Promise<number | undefined>;

/**
 * How the output of a task is printed.
 *
 * @param options.isTranscript the output is that of an agent
 * @param options.isJson for machines: the lines of a transcript as they are, other output as `{offset,next_offset,data}`,
 *   with `lost_bytes` where so many bytes before `offset` are kept nowhere
 */
export function logPrinter({ isTranscript, isJson }: { readonly isTranscript: boolean; readonly isJson: boolean }): LogPrinter {
  if (isTranscript) return isJson ? printRawLines : printTranscript;
  return isJson ? printJsonPieces : printOutput;
}

async function printRawLines(pieces: AsyncIterable<OutputPiece>, { stdout }: CliIo): Promise<number | undefined> {
  let end: number | undefined;
  for await (const { bytes, nextOffset } of wholeLines(pieces)) {
    await stdout.writeBytes(bytes);
    end = nextOffset;
  }
  return end;
}

async function printTranscript(pieces: AsyncIterable<OutputPiece>, { stdout }: CliIo): Promise<number | undefined> {
  let end: number | undefined;
  for await (const { bytes, nextOffset } of wholeLines(pieces)) {
    await stdout.write(renderLine(Buffer.from(bytes).toString(), nextOffset - bytes.length));
    end = nextOffset;
  }
  return end;
}

/** One damaged line hides no other. */
function renderLine(line: string, offset: number): string {
  try {
    return renderTranscriptEntry(parseTranscriptLine(line, `the line at byte ${offset}`));
  } catch (error) {
    if (error instanceof AppError) return `[unreadable line at byte ${offset}]\n\n`;
    throw error;
  }
}

async function printJsonPieces(pieces: AsyncIterable<OutputPiece>, { stdout }: CliIo): Promise<number | undefined> {
  let end: number | undefined;
  for await (const { bytes, offset, nextOffset, lostBytes } of pieces) {
    const lost = lostBytes === 0 ? {} : { lost_bytes: lostBytes };
    await stdout.write(`${visibleJson(JSON.stringify({ offset, next_offset: nextOffset, data: Buffer.from(bytes).toString(), ...lost }))}\n`);
    end = nextOffset;
  }
  return end;
}

async function printOutput(pieces: AsyncIterable<OutputPiece>, { stdout, stderr, isStdoutTty }: CliIo): Promise<number | undefined> {
  const terminal = isStdoutTty ? createColoredTerminalText() : undefined;
  let end: number | undefined;
  for await (const piece of pieces) {
    const { bytes, nextOffset } = piece;
    const note = noteBefore(piece);
    if (note !== undefined) {
      // Between what stands before and behind the gap, where both go to one terminal.
      await stdout.drain();
      await stderr.write(`agent: ${note}\n`);
    }
    if (terminal === undefined) await stdout.writeBytes(bytes);
    else await stdout.write(terminal.push(Buffer.from(bytes).toString()));
    end = nextOffset;
  }
  if (terminal !== undefined) await stdout.write(terminal.end());
  return end;
}

/** What a reader must know before a piece: stdout has the output and nothing else. */
function noteBefore({ offset, lostBytes, isReset }: OutputPiece): string | undefined {
  if (isReset) return "The output has become shorter: what follows is its beginning again";
  return lostBytes === 0 ? undefined : `${lostBytes} bytes are lost here, from byte ${offset - lostBytes} to byte ${offset}`;
}
