import { z } from "zod";
import type { Tool } from "../core/agent.ts";
import { lazySchema } from "../core/schema.ts";
import { clipLine } from "../lib/clip-line.ts";
import { lineRange, numberedLine } from "../lib/line-range.ts";
import { contentHash, readTextFileWhole } from "./known-file.ts";
import { namedPath, permittedPath } from "./permitted-path.ts";
import description from "./read.md" with { type: "text" };

const inputSchema = lazySchema("ReadInput", () =>
  z.strictObject({
    file_path: z.string().min(1),
    offset: z.int().min(0).optional(),
    limit: z.int().min(1).optional(),
  }),
);
type ReadInput = z.infer<ReturnType<typeof inputSchema>>;

const READ_LINES_DEFAULT = 2_000;
const READ_LINE_CHARS_MAX = 2_000;
const READ_RESULT_BYTES_MAX = 100_000;
/** What is kept free for the notes at the end. */
const NOTE_BYTES_MAX = 1_000;

export const readTool: Tool<ReadInput> = {
  name: "Read",
  description,
  inputSchema,
  access: (input, context) => ({ kind: "read", path: namedPath(input.file_path, context) }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  maxResultBytes: READ_RESULT_BYTES_MAX,
  async call(input, context) {
    const path = await permittedPath(readTool, input, context);
    const file = readTextFileWhole(path);
    const first = Math.max(1, input.offset ?? 1);
    const { lines, total } = lineRange(file.text, { first, count: input.limit ?? READ_LINES_DEFAULT });
    const shown = linesWithin(lines, { first, bytesMax: READ_RESULT_BYTES_MAX - NOTE_BYTES_MAX });
    const isClipped = lines.slice(0, shown.length).some((line) => line.length > READ_LINE_CHARS_MAX);
    context.readFileState.set(path, { contentHash: contentHash(file.bytes), isPartial: shown.length < total || isClipped });
    const notes = [
      rangeNote({ first, shown: shown.length, total }),
      isClipped ? `Lines were clipped at ${READ_LINE_CHARS_MAX} characters; the rest can be cut out with a command` : undefined,
      file.encoding === "latin1" ? "The file is not UTF-8; it is shown as Latin-1" : undefined,
    ];
    return { content: [...shown, ...notes.filter((note) => note !== undefined).map((note) => `[${note}]`)].join("\n") };
  },
};

/** The first lines, numbered and clipped, that fit into a result. */
function linesWithin(
  lines: readonly string[],
  { first, bytesMax }: { readonly first: number; readonly bytesMax: number },
): readonly string[] {
  const shown: string[] = [];
  let bytes = 0;
  for (const [index, line] of lines.entries()) {
    const numbered = numberedLine(first + index, clipLine(line, READ_LINE_CHARS_MAX));
    bytes += Buffer.byteLength(numbered) + 1;
    if (bytes > bytesMax) break;
    shown.push(numbered);
  }
  return shown;
}

function rangeNote({ first, shown, total }: { readonly first: number; readonly shown: number; readonly total: number }): string | undefined {
  if (total === 0) return "The file is empty";
  if (shown === 0) return `The file has ${total} lines, none from line ${first} on`;
  const next = first + shown;
  if (next <= total) return `Lines ${first} to ${next - 1} of ${total}; read on with offset ${next}`;
  return first > 1 ? `Lines ${first} to ${total}, the end of the file` : undefined;
}
