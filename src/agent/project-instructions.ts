import { realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { readTextFile } from "../platform/read-text-file.ts";

/** Files in which a project tells agents how to work on it. */
const INSTRUCTION_FILES = ["AGENTS.md", "CLAUDE.md"] as const;
export const INSTRUCTION_BYTES_MAX = 65_536;

/**
 * The project's instructions, quoted for the first message; undefined when there are none.
 *
 * They come from the working directory, which need not be trusted, so they are quoted as context and never become part
 * of the system prompt. A link out of the directory is not followed. Files of the same content are quoted once.
 */
export function readProjectInstructions(cwd: string): string | undefined {
  const seen = new Set<string>();
  const quoted: string[] = [];
  for (const name of INSTRUCTION_FILES) {
    const text = readInside(cwd, name)?.trim();
    if (text === undefined || text === "" || seen.has(text)) continue;
    seen.add(text);
    quoted.push(`<project-instructions file="${name}">\n${escapeClosingTag(text)}\n</project-instructions>`);
  }
  return quoted.length === 0 ? undefined : quoted.join("\n\n");
}

function readInside(cwd: string, name: string): string | undefined {
  try {
    const real = realpathSync(join(cwd, name));
    if (!real.startsWith(cwd.endsWith(sep) ? cwd : cwd + sep)) return undefined;
    return readTextFile(real, { bytesMax: INSTRUCTION_BYTES_MAX })?.text;
  } catch {
    return undefined;
  }
}

/** Keeps text from ending its own quotation. */
function escapeClosingTag(text: string): string {
  return text.replaceAll("</project-instructions", "<\\/project-instructions");
}
