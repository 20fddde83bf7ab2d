/**
 * Foreign text made safe for a terminal: control characters but tab and line feed are shown as pictures, and characters
 * that reorder what is read or cannot be seen are shown by their number. What a person reads is then what is there.
 */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

// C0 but tab and line feed, DEL, C1, soft hyphen, bidirectional and zero-width controls, line separators, tags.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const UNSAFE = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu;
