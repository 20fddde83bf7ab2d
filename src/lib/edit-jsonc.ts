import type { Node } from "jsonc-parser";
import { findNodeAtLocation, parseTree, visit } from "jsonc-parser/lib/esm/impl/parser.js";

/**
 * A text of JSON with comments in which one value is set, or its property taken out where `value` is undefined. Nothing
 * else changes: every comment, the order, the line ends and how values are laid out stay as they were written.
 *
 * @param text free of errors; an object, or nothing but comments
 * @param path the keys that lead to the value; objects on the way are made where something else stands or nothing
 */
export function editJsonc(text: string, path: readonly string[], value: unknown): string {
  const root = parseTree(text, [], { allowTrailingComma: true, allowEmptyContent: true });
  if (root === undefined) return value === undefined ? text : editJsonc(withEmptyObject(text), path, value);
  const node = findNodeAtLocation(root, [...path]);
  if (value === undefined) return node?.parent === undefined ? text : removeProperty(text, node.parent);
  if (node !== undefined) return replace(text, node.offset, node.offset + node.length, layOut(text, value, indentAt(text, node.offset)));
  return insertMissing(text, root, { path, value });
}

/**
 * The same with a text added behind the last value of a list, unless it stands there already. The list is made where
 * there is none.
 */
export function appendJsonc(text: string, path: readonly string[], value: string): string {
  const root = parseTree(text, [], { allowTrailingComma: true, allowEmptyContent: true });
  const list = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  if (list?.type !== "array") return editJsonc(text, path, [value]);
  if (list.children?.some((item) => item.value === value) === true) return text;
  return insertLast(text, list, () => JSON.stringify(value));
}

function withEmptyObject(text: string): string {
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}{}\n`;
}

function insertMissing(text: string, root: Node, { path, value }: { readonly path: readonly string[]; readonly value: unknown }): string {
  let parent = root;
  let depth = 0;
  for (let next = findNodeAtLocation(root, [path[0] ?? ""]); next !== undefined; next = findNodeAtLocation(root, path.slice(0, depth + 1))) {
    parent = next;
    depth++;
  }
  const [key = "", ...rest] = path.slice(depth);
  const inner = rest.reduceRight<unknown>((each, name) => ({ [name]: each }), value);
  if (parent.type === "object") return insertProperty(text, parent, { key, value: inner });
  return replace(text, parent.offset, parent.offset + parent.length, layOut(text, { [key]: inner }, indentAt(text, parent.offset)));
}

function insertProperty(text: string, parent: Node, { key, value }: { readonly key: string; readonly value: unknown }): string {
  return insertLast(text, parent, (indent) => `${JSON.stringify(key)}: ${indent === undefined ? JSON.stringify(value) : layOut(text, value, indent)}`);
}

/** @param item makes what is inserted; gets the indentation of its line, and none where it comes on the line of the others */
function insertLast(text: string, parent: Node, item: (indent: string | undefined) => string): string {
  const end = parent.offset + parent.length - 1;
  const last = parent.children?.at(-1);
  const lastEnd = last === undefined ? parent.offset + 1 : last.offset + last.length;
  const isOnOneLine = !text.slice(lastEnd, end).includes("\n");
  if (last !== undefined && isOnOneLine) {
    const comma = commaIn(text, lastEnd, end);
    return replace(text, lastEnd, (comma ?? lastEnd - 1) + 1, `, ${item(undefined)}`);
  }
  const outer = indentAt(text, parent.offset);
  const inner = last === undefined ? outer + indentUnit(text) : indentAt(text, last.offset);
  const eol = lineEnd(text);
  // Behind the comments that follow the last item, which are more likely its than the new one's.
  const insertAt = text.slice(0, end).trimEnd().length;
  const isAfterComma = last === undefined || commaIn(text, lastEnd, end) !== undefined;
  const added = replace(text, insertAt, end, `${eol}${inner}${item(inner)}${eol}${outer}`);
  return isAfterComma ? added : replace(added, lastEnd, lastEnd, ",");
}

/** With its comma; with the line too where nothing else stands on it. */
function removeProperty(text: string, property: Node): string {
  const siblings = property.parent?.children ?? [];
  const index = siblings.indexOf(property);
  const [previous, next] = [siblings[index - 1], siblings[index + 1]];
  const end = property.offset + property.length;
  const containerEnd = (property.parent?.offset ?? 0) + (property.parent?.length ?? text.length);
  const comma =
    commaIn(text, end, next?.offset ?? containerEnd) ??
    (previous === undefined ? undefined : commaIn(text, previous.offset + previous.length, property.offset));
  if (comma === undefined) return removeWithLine(text, property.offset, end);
  if (comma < property.offset) return replace(removeWithLine(text, property.offset, end), comma, comma + 1, "");
  // A comment may stand between a value and its comma.
  return removeWithLine(replace(text, comma, comma + 1, ""), property.offset, end);
}

function removeWithLine(text: string, start: number, end: number): string {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const nextLine = text.indexOf("\n", end) + 1;
  const isAlone = nextLine > 0 && text.slice(lineStart, start).trim() === "" && text.slice(end, nextLine).trim() === "";
  if (isAlone) return replace(text, lineStart, nextLine, "");
  const spaces = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  return replace(text, start, end + spaces, "");
}

/** The place of the first comma of the syntax, not of a comment, in a range of the text. */
function commaIn(text: string, start: number, end: number): number | undefined {
  let found: number | undefined;
  visit(text, {
    onSeparator(character, offset) {
      if (character === "," && offset >= start && offset < end) found ??= offset;
    },
  }, { allowTrailingComma: true });
  return found;
}

function layOut(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, indentUnit(text)).replaceAll("\n", `${lineEnd(text)}${indent}`);
}

function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? "";
}

function indentUnit(text: string): string {
  return /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
}

function lineEnd(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function replace(text: string, start: number, end: number, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}
