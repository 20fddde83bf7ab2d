import { visibleText } from "./visible-text.ts";

/** As many blanks as indent a text; more of them push what follows out of sight. */
const BLANKS_MAX = 8;
const EMPTY_LINES_MAX = 2;

/**
 * Foreign text that somebody is to decide about: `visibleText`, and nothing in it can be overlooked. Characters that look
 * like nothing or like a space are shown by their number, and long stretches of blanks and of empty lines by their length.
 */
export function unhiddenText(text: string): string {
  return visibleText(text)
    .replace(LOOKS_LIKE_NOTHING, (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`)
    .replace(EMPTY_LINES, (lines) => `\n⟨${lines.split("\n").length - 2} empty lines⟩\n`)
    .replace(BLANKS, (blanks) => `⟨${blanks.length} ${blanks.includes("\t") ? "blanks" : "spaces"}⟩`);
}

const LOOKS_LIKE_NOTHING = /[\p{Default_Ignorable_Code_Point}\u00A0\u1680\u2000-\u200A\u202F\u205F\u2800\u3000]/gu;
const EMPTY_LINES = new RegExp(`\\n(?:[ \\t]*\\n){${EMPTY_LINES_MAX + 1},}`, "g");
const BLANKS = new RegExp(`[ \\t]{${BLANKS_MAX + 1},}`, "g");
