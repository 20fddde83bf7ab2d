import { isAbsolute, join } from "node:path";
import { z } from "zod";
import type { AgentContext, Tool } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import { lazySchema } from "../core/schema.ts";
import { splitGlob } from "../lib/split-glob.ts";
import { modifiedTime } from "../platform/modified-time.ts";
import { runRipgrep } from "../platform/ripgrep.ts";
import { displayPath } from "./display-path.ts";
import description from "./glob.md" with { type: "text" };
import { isHidden, namedPath, permittedPath } from "./permitted-path.ts";
import { readTool } from "./read.ts";

const inputSchema = lazySchema("GlobInput", () =>
  z.strictObject({ pattern: z.string().min(1), path: z.string().min(1).optional() }),
);
type GlobInput = z.infer<ReturnType<typeof inputSchema>>;

const GLOB_FILES_MAX = 100;
/** Names that are looked at to find the newest ones. */
const NAMES_BYTES_MAX = 4 * 1_024 * 1_024;

export const globTool: Tool<GlobInput> = {
  name: "Glob",
  description,
  inputSchema,
  access: (input, context) => ({ kind: "read", path: searchStart(input, context) }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  maxResultBytes: 40_000,
  async call(input, context, { signal }) {
    const directory = await permittedPath(globTool, input, context);
    const { output, isTruncated, complaint } = await runRipgrep({
      args: ["--files", "--null", "--hidden", "--no-ignore", ...filters(splitGlob(input.pattern).glob), "--", "./"],
      cwd: directory,
      signal,
      supervise: (spawn) => context.host.supervision.start(spawn),
      outputBytesMax: NAMES_BYTES_MAX,
    });
    if (complaint !== undefined && output === "") throw new AppError("failed", `Cannot search for "${input.pattern}": ${complaint}`);
    const files = output.split("\0").slice(0, -1).map((name) => join(directory, name));
    const shown = newestVisible(files, context);
    if (shown.length === 0) return { content: "No files found" };
    const lines = shown.slice(0, GLOB_FILES_MAX).map((file) => displayPath(file, context.cwd));
    if (shown.length > GLOB_FILES_MAX || isTruncated) lines.push(`[There are more files: only ${lines.length} are shown; use a narrower pattern]`);
    return { content: lines.join("\n") };
  },
};

/** The directory in which the search starts: `path`, and what the pattern says before its first glob character. */
function searchStart(input: GlobInput, context: AgentContext): string {
  const { directory } = splitGlob(input.pattern);
  if (isAbsolute(directory)) return directory;
  const start = input.path === undefined ? context.cwd : namedPath(input.path, context);
  return directory === "" ? start : `${start}/${directory}`;
}

function filters(glob: string): readonly string[] {
  // The slash ties the pattern to the directory; without it "*.ts" would match at any depth.
  const skipped = [".git", "node_modules"].filter((name) => !glob.includes(name));
  return [`--glob=/${glob}`, ...skipped.map((name) => `--glob=!${name}`)];
}

/** At most one more than is shown, so that the caller can tell that there are more. */
function newestVisible(files: readonly string[], context: AgentContext): readonly string[] {
  const newestFirst = files
    .map((path) => ({ path, time: modifiedTime(path) }))
    .toSorted((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1));
  const visible: string[] = [];
  for (const { path } of newestFirst) {
    if (isHidden(path, { readTool, context })) continue;
    visible.push(path);
    if (visible.length > GLOB_FILES_MAX) break;
  }
  return visible;
}
