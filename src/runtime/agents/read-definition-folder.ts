import { readdirSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import type { DefinitionProblem } from "../../core/agent-definition.ts";
import { errorMessage, systemErrorCode } from "../../core/errors.ts";
import { readTextFile } from "../../platform/read-text-file.ts";

export const DEFINITION_BYTES_MAX = 262_144;
const FILES_MAX = 200;

export interface DefinitionFile {
  readonly file: string;
  readonly text: string;
}

/** The texts of a folder, and what could not be read of it. */
export interface DefinitionTexts {
  readonly files: readonly DefinitionFile[];
  readonly problems: readonly DefinitionProblem[];
}

/**
 * Reads the Markdown files of a folder but its README, by name; nothing where there is no such folder. A link is followed only to what
 * is in the folder itself. Never throws: what cannot be read is a problem.
 *
 * @param options.within the folder must itself be in this directory; anywhere unless given
 */
export function readDefinitionFolder(folder: string, { within }: { readonly within?: string } = {}): DefinitionTexts {
  const files: DefinitionFile[] = [];
  const problems: DefinitionProblem[] = [];
  const tell = (file: string, message: string) => void problems.push({ level: "error", file, line: 1, message });
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".md") && !name.startsWith(".") && name !== "README.md").toSorted();
    const real = realpathSync(folder);
    if (within !== undefined && !isBelow(real, realpathSync(within))) {
      tell(folder, "a link out of the project is not followed");
      return { files, problems };
    }
    if (names.length > FILES_MAX) tell(folder, `there are ${names.length} files; those after the first ${FILES_MAX} are ignored`);
    for (const name of names.slice(0, FILES_MAX)) {
      const file = join(folder, name);
      const read = readDefinition(file, real);
      if ("text" in read) files.push({ file, text: read.text });
      else tell(file, read.problem);
    }
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") tell(folder, `cannot be read: ${errorMessage(error)}`);
  }
  return { files, problems };
}

/**
 * The text of one file, or why there is none.
 *
 * @param folder the real path of the folder that it must be in; anywhere unless given
 */
export function readDefinition(file: string, folder?: string): { readonly text: string } | { readonly problem: string } {
  try {
    const real = realpathSync(file);
    if (folder !== undefined && !isBelow(real, folder)) return { problem: "a link out of the folder is not followed" };
    const read = readTextFile(real, { bytesMax: DEFINITION_BYTES_MAX });
    if (read === undefined) return { problem: "it is not a regular file" };
    return read.isCut ? { problem: `it is larger than ${DEFINITION_BYTES_MAX / 1_024} KiB` } : { text: read.text };
  } catch (error) {
    return { problem: `cannot be read: ${errorMessage(error)}` };
  }
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
