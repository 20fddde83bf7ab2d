/**
 * The same JSON with everything escaped that would steer a terminal, reorder what a person reads, end a line for some
 * reader, or not be seen at all. Whoever parses it gets the same value.
 *
 * @param json as `JSON.stringify` makes it, which escapes the other control characters
 */
export function visibleJson(json: string): string {
  return json.replace(UNSAFE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// DEL, C1, soft hyphen, bidirectional and zero-width controls, line separators; each half of a tag's surrogate pair.
const UNSAFE = /[\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]|\uDB40(?=[\uDC00-\uDC7F])|(?<=\uDB40)[\uDC00-\uDC7F]/g;
