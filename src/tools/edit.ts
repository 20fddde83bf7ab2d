import { z } from "zod";
import type { Tool } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import { lazySchema } from "../core/schema.ts";
import { formatByteSize } from "../lib/byte-size.ts";
import { clipLine } from "../lib/clip-line.ts";
import { lineNumberAt, lineRange, numberedLine } from "../lib/line-range.ts";
import { replaceText } from "../lib/replace-text.ts";
import { encodeText } from "../lib/text-encoding.ts";
import { replaceFileContent } from "../platform/replace-file-content.ts";
import { displayPath } from "./display-path.ts";
import description from "./edit.md" with { type: "text" };
import { FILE_BYTES_MAX, readKnownFile } from "./known-file.ts";
import { namedPath, permittedPath } from "./permitted-path.ts";
import { verifyWritten } from "./verify-written.ts";

const inputSchema = lazySchema("EditInput", () =>
  z.strictObject({
    file_path: z.string().min(1),
    old_string: z.string(),
    new_string: z.string(),
    replace_all: z.boolean().optional(),
  }),
);
type EditInput = z.infer<ReturnType<typeof inputSchema>>;

export const editTool: Tool<EditInput> = {
  name: "Edit",
  description,
  inputSchema,
  access: (input, context) => ({ kind: "write", path: namedPath(input.file_path, context) }),
  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  maxResultBytes: 10_000,
  // Nothing is awaited between reading and writing: no other agent of this process can come in between.
  async call(input, context) {
    assertMeaningful(input);
    const path = await permittedPath(editTool, input, context);
    const file = readKnownFile(path, { context, action: "Cannot edit" });
    const edited = editedText(file.text, input, path);
    const bytes = encodeText(edited.text, file.encoding);
    if (bytes === undefined) throw new AppError("failed", `Cannot edit "${path}": it is not UTF-8, and new_string has characters that its 8-bit encoding lacks`);
    replaceFileContent({ path, expected: file.bytes, next: bytes });
    verifyWritten({ namedPath: namedPath(input.file_path, context), realPath: path, bytes, isPartial: file.known.isPartial, context });
    const replacements = edited.count === 1 ? "1 replacement" : `${edited.count} replacements`;
    return { content: `Edited ${displayPath(path, context.cwd)}: ${replacements}\n${excerpt(edited.text, edited.offset, input.new_string)}` };
  },
};

function assertMeaningful(input: EditInput): void {
  if (input.old_string === "") throw new AppError("failed", "Cannot edit with an empty old_string; make or overwrite a file with Write");
  if (input.old_string === input.new_string) throw new AppError("failed", "Cannot edit: old_string and new_string are the same");
}

function editedText(text: string, input: EditInput, path: string): { readonly text: string; readonly count: number; readonly offset: number } {
  const replacement = replaceText(text, { old: input.old_string, replacement: input.new_string, all: input.replace_all === true, charsMax: FILE_BYTES_MAX });
  switch (replacement.type) {
    case "replaced":
      return replacement;
    case "not_found":
      throw new AppError("failed", `Cannot edit "${path}": old_string does not occur in it; ${hint(text, input.old_string)}`);
    case "ambiguous":
      throw new AppError("failed", `Cannot edit "${path}": old_string occurs ${replacement.count} times; add lines around it, or set replace_all`);
    case "too_large":
      throw new AppError("failed", `Cannot edit "${path}": the file would become larger than ${formatByteSize(FILE_BYTES_MAX)}`);
  }
}

/** The first line of a passage often occurs although the whole does not, most of all with another indentation. */
function hint(text: string, passage: string): string {
  const first = passage.split("\n").map((line) => line.trim()).find((line) => line !== "");
  const offset = first === undefined ? -1 : text.indexOf(first);
  if (offset === -1) return "read the file again and take the text from there";
  return `its first line occurs in line ${lineNumberAt(text, offset)}, so compare indentation and the lines that follow`;
}

const EXCERPT_LINES_AROUND = 2;
const EXCERPT_LINES_MAX = 12;
const EXCERPT_LINE_CHARS_MAX = 300;

/** The lines around the first replacement, as Read would show them. */
function excerpt(text: string, offset: number, replacement: string): string {
  const first = Math.max(1, lineNumberAt(text, offset) - EXCERPT_LINES_AROUND);
  const count = Math.min(EXCERPT_LINES_MAX, replacement.split("\n").length + 2 * EXCERPT_LINES_AROUND);
  const { lines } = lineRange(text, { first, count });
  return lines.map((line, index) => numberedLine(first + index, clipLine(line, EXCERPT_LINE_CHARS_MAX))).join("\n");
}
