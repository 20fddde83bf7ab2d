import type { Node, ParseError } from "jsonc-parser";
import { findNodeAtLocation, getNodeValue, parseTree } from "jsonc-parser/lib/esm/impl/parser.js";

/** Counts from 1, columns in UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** What stood in a text of JSON with comments and trailing commas. */
export interface JsoncDocument {
  /** Objects have no prototype. Undefined where there is nothing but comments. */
  readonly value: unknown;
  /** Where a value starts; the nearest one around it where there is none at the path. */
  positionOf(path: readonly PropertyKey[]): TextPosition;
}

/** The text is no JSON, or a key stands twice in one object. */
export class JsoncError extends Error {
  override readonly name = "JsoncError";
  readonly position: TextPosition;

  constructor(message: string, position: TextPosition) {
    super(message);
    this.position = position;
  }
}

/**
 * Reads JSON with comments and trailing commas. Throws a `JsoncError`, also for a repeated key: readers of the text see
 * both values and a program would take one of them.
 */
export function parseJsonc(text: string): JsoncDocument {
  const tree = treeOf(text);
  if (tree !== undefined) refuseRepeatedKeys(tree, text);
  return {
    value: tree === undefined ? undefined : getNodeValue(tree),
    positionOf: (path) => positionAt(text, nearestNode(tree, path)?.offset ?? 0),
  };
}

function treeOf(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const tree = parse(text, errors);
  const [first] = errors;
  if (first === undefined) return tree;
  throw new JsoncError(PROBLEMS[first.error] ?? "it cannot be understood here", positionAt(text, first.offset));
}

function parse(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (error) {
    // The parser calls itself for every level.
    if (error instanceof RangeError) throw new JsoncError("it is nested too deeply", { line: 1, column: 1 });
    throw error;
  }
}

/** By the numbers of the parser's error codes. */
const PROBLEMS: Readonly<Record<number, string>> = {
  1: "this is not a value",
  2: "this is not a number",
  3: "a key in double quotes is expected",
  4: "a value is expected",
  5: "a colon is expected",
  6: "a comma is expected",
  7: "a closing brace is expected",
  8: "a closing bracket is expected",
  9: "nothing may follow the end",
  11: "this comment does not end",
  12: "this text does not end",
  13: "this number does not end",
  14: "this is not a Unicode escape",
  15: "this is not an escape",
  16: "a text cannot hold this character",
};

function refuseRepeatedKeys(root: Node, text: string): void {
  const pending: Node[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const children = node.children ?? [];
    if (node.type === "object") refuseRepeatedKeysOf(children, text);
    pending.push(...children);
  }
}

function refuseRepeatedKeysOf(properties: readonly Node[], text: string): void {
  const keys = new Set<unknown>();
  for (const property of properties) {
    const key = property.children?.[0];
    if (key !== undefined && keys.has(key.value)) {
      throw new JsoncError(`the key ${JSON.stringify(key.value)} stands twice in one object`, positionAt(text, key.offset));
    }
    keys.add(key?.value);
  }
}

function nearestNode(tree: Node | undefined, path: readonly PropertyKey[]): Node | undefined {
  if (tree === undefined) return undefined;
  const segments = path.filter((segment) => typeof segment !== "symbol");
  for (let length = segments.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, segments.slice(0, length));
    if (node !== undefined) return node;
  }
  return tree;
}

function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}
