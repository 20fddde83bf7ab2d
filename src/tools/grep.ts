import { basename, dirname, join } from "node:path";
import { z } from "zod";
import type { AgentContext, Tool } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import { lazySchema } from "../core/schema.ts";
import { parseSearchOutput, type SearchRecord } from "../lib/search-records.ts";
import { isDirectory } from "../platform/is-directory.ts";
import { runRipgrep } from "../platform/ripgrep.ts";
import { displayPath } from "./display-path.ts";
import description from "./grep.md" with { type: "text" };
import { isHidden, namedPath, permittedPath } from "./permitted-path.ts";
import { readTool } from "./read.ts";

const inputSchema = lazySchema("GrepInput", () =>
  z.strictObject({
    pattern: z.string().min(1),
    path: z.string().min(1).optional(),
    glob: z.string().min(1).optional(),
    output_mode: z.enum(["content", "files_with_matches", "count"]).optional(),
    ignore_case: z.boolean().optional(),
    context: z.int().min(0).max(50).optional(),
    head_limit: z.int().min(1).max(2_000).optional(),
  }),
);
type GrepInput = z.infer<ReturnType<typeof inputSchema>>;

const GREP_LINES_DEFAULT = 250;
const GREP_LINE_BYTES_MAX = 500;
const GREP_RESULT_BYTES_MAX = 60_000;
/** What is read of the search program's output, before hidden files are taken out. */
const OUTPUT_BYTES_MAX = 4 * 1_024 * 1_024;

export const grepTool: Tool<GrepInput> = {
  name: "Grep",
  description,
  inputSchema,
  access: (input, context) => ({ kind: "read", path: input.path === undefined ? context.cwd : namedPath(input.path, context) }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  maxResultBytes: GREP_RESULT_BYTES_MAX,
  async call(input, context, { signal }) {
    const path = await permittedPath(grepTool, input, context);
    const directory = isDirectory(path) ? path : dirname(path);
    // With "./" in front, no name can pass for an option.
    const start = directory === path ? "./" : `./${basename(path)}`;
    const { output, isTruncated, complaint } = await runRipgrep({
      args: [...searchArguments(input), "--", start],
      cwd: directory,
      signal,
      supervise: (spawn) => context.host.supervision.start(spawn),
      outputBytesMax: OUTPUT_BYTES_MAX,
    });
    if (complaint !== undefined && output === "") throw new AppError("failed", `Cannot search for "${input.pattern}": ${complaint}`);
    const visible = visibleRecords(recordsOf(output, input), { directory, context });
    const { lines, isCut } = linesWithin(visible, { directory, input, context });
    if (lines.length === 0) return { content: "No matches found" };
    if (isCut || isTruncated) lines.push(`[There are more results: only the first ${lines.length} lines are shown; narrow the search or set head_limit]`);
    if (complaint !== undefined) lines.push(`[Not everything could be searched: ${complaint}]`);
    return { content: lines.join("\n") };
  },
};

function searchArguments(input: GrepInput): readonly string[] {
  return [
    "--null",
    "--hidden",
    "--with-filename",
    "--no-heading",
    "--color=never",
    // In a fixed order, so that the same search gives the same answer and a limit cuts at a meaningful place.
    "--sort=path",
    `--max-columns=${GREP_LINE_BYTES_MAX}`,
    "--max-columns-preview",
    ...modeArguments(input),
    ...(input.ignore_case === true ? ["--ignore-case"] : []),
    ...(input.glob === undefined ? [] : [`--glob=${input.glob}`]),
    "--glob=!.git",
    `--regexp=${input.pattern}`,
  ];
}

function modeArguments(input: GrepInput): readonly string[] {
  switch (input.output_mode) {
    case "content":
      return ["--line-number", `--context=${input.context ?? 0}`];
    case "count":
      return ["--count"];
    case "files_with_matches":
    case undefined:
      return ["--files-with-matches"];
  }
}

/** Names alone have no lines: a NUL is all that ends them. */
function recordsOf(output: string, input: GrepInput): readonly SearchRecord[] {
  if (input.output_mode === "content" || input.output_mode === "count") return parseSearchOutput(output);
  return output.split("\0").slice(0, -1).map((path) => ({ type: "line", path, text: "" }));
}

interface Place {
  readonly directory: string;
  readonly context: AgentContext;
}

/** A generator: files beyond the limit need not be looked at. */
function* visibleRecords(records: readonly SearchRecord[], { directory, context }: Place): Generator<SearchRecord> {
  const hidden = new Map<string, boolean>();
  for (const record of records) {
    if (record.type === "line") {
      const isPathHidden = hidden.get(record.path) ?? isHidden(join(directory, record.path), { readTool, context });
      hidden.set(record.path, isPathHidden);
      if (isPathHidden) continue;
    }
    yield record;
  }
}

function linesWithin(
  records: Iterable<SearchRecord>,
  { directory, input, context }: Place & { readonly input: GrepInput },
): { readonly lines: string[]; readonly isCut: boolean } {
  const lines: string[] = [];
  let bytes = 0;
  let isGapDue = false;
  for (const record of records) {
    if (record.type === "gap") {
      // Only between two lines that are shown: the lines around it may be hidden.
      isGapDue = lines.length > 0;
      continue;
    }
    const line = presented(record, displayPath(join(directory, record.path), context.cwd));
    bytes += Buffer.byteLength(line) + 4;
    if (lines.length >= (input.head_limit ?? GREP_LINES_DEFAULT) || bytes > GREP_RESULT_BYTES_MAX - 1_000) return { lines, isCut: true };
    if (isGapDue) lines.push("--");
    isGapDue = false;
    lines.push(line);
  }
  return { lines, isCut: false };
}

/** `path:12:matching line`, `path-11-line around it`, `path:3` for a count, `path` alone. */
function presented({ text }: { readonly text: string }, path: string): string {
  if (text === "") return path;
  const separator = /^\d+-/.test(text) ? "-" : ":";
  return `${path}${separator}${text.endsWith("\r") ? text.slice(0, -1) : text}`;
}
