import { z } from "zod";
import type { AgentContext, Tool } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import { lazySchema } from "../core/schema.ts";
import { uniformLineEnd, type LineEnd } from "../lib/line-endings.ts";
import { encodeText, type TextEncoding } from "../lib/text-encoding.ts";
import { createFile } from "../platform/create-file.ts";
import { replaceFileContent } from "../platform/replace-file-content.ts";
import { displayPath } from "./display-path.ts";
import { readKnownFile } from "./known-file.ts";
import { namedPath, permittedPath } from "./permitted-path.ts";
import { verifyWritten } from "./verify-written.ts";
import description from "./write.md" with { type: "text" };

const inputSchema = lazySchema("WriteInput", () => z.strictObject({ file_path: z.string().min(1), content: z.string() }));
type WriteInput = z.infer<ReturnType<typeof inputSchema>>;

export const writeTool: Tool<WriteInput> = {
  name: "Write",
  description,
  inputSchema,
  access: (input, context) => ({ kind: "write", path: namedPath(input.file_path, context) }),
  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  maxResultBytes: 2_000,
  async call(input, context) {
    const path = await permittedPath(writeTool, input, context);
    const written = create(path, input.content) ?? overwrite(path, input.content, context);
    verifyWritten({ namedPath: namedPath(input.file_path, context), realPath: path, bytes: written.bytes, isPartial: false, context });
    const notes = written.notes.map((note) => `; ${note}`).join("");
    return { content: `${written.verb} ${displayPath(path, context.cwd)}: ${written.bytes.length} bytes${notes}` };
  },
};

interface Written {
  readonly verb: "Created" | "Overwrote";
  readonly bytes: Uint8Array;
  readonly notes: readonly string[];
}

/** Undefined where something stands there already: only trying tells without a gap in between. */
function create(path: string, content: string): Written | undefined {
  const bytes = Buffer.from(content.toWellFormed());
  try {
    createFile({ path, bytes });
    return { verb: "Created", bytes, notes: [] };
  } catch (error) {
    if (error instanceof AppError && error.code === "EEXIST") return undefined;
    throw error;
  }
}

function overwrite(path: string, content: string, context: AgentContext): Written {
  const file = readKnownFile(path, { context, action: "Cannot overwrite" });
  if (file.known.isPartial) {
    throw new AppError("conflict", `Cannot overwrite "${path}": only a part of it was read; change it with Edit, or read all of it first`);
  }
  const lineEnd = lineEndToKeep(file.text, content);
  const text = lineEnd === undefined ? content : content.replaceAll("\n", lineEnd);
  const { bytes, isConverted } = encoded(text, file.encoding);
  replaceFileContent({ path, expected: file.bytes, next: bytes });
  const notes = [
    lineEnd === undefined ? undefined : `line ends were kept as ${LINE_END_NAMES[lineEnd]}`,
    isConverted ? "the file is UTF-8 now" : undefined,
  ];
  return { verb: "Overwrote", bytes, notes: notes.filter((note) => note !== undefined) };
}

const LINE_END_NAMES: Readonly<Record<LineEnd, string>> = { "\r\n": "CRLF", "\r": "CR", "\n": "LF" };

/** The line end of the file where it differs from plain line feeds of the content; content with its own ends is taken as meant. */
function lineEndToKeep(text: string, content: string): LineEnd | undefined {
  const lineEnd = uniformLineEnd(text);
  return lineEnd === "\n" || content.includes("\r") || !content.includes("\n") ? undefined : lineEnd;
}

function encoded(text: string, encoding: TextEncoding): { readonly bytes: Uint8Array; readonly isConverted: boolean } {
  // The mark comes from the encoding; content that brings its own must not get two.
  const unmarked = encoding === "utf-8" || encoding === "latin1" ? text : text.replace(/^\ufeff/, "");
  const bytes = encodeText(unmarked, encoding);
  return bytes === undefined ? { bytes: Buffer.from(unmarked.toWellFormed()), isConverted: true } : { bytes, isConverted: false };
}
