import type { ShellGlob, ShellWord } from "../../core/shell-command.ts";
import { type Opacity, opaque } from "./opacity.ts";
import type { SyntaxNode } from "./syntax-tree.ts";
import { decodeAnsiString } from "./ansi-string.ts";

/** A word and the parts of it that run commands. */
export interface WordReading {
  readonly word: ShellWord;
  readonly substitutions: readonly SyntaxNode[];
}

/**
 * Reads a word: what a program gets of it, as far as that is certain, and which commands the shell runs to find out the
 * rest. An opacity where the shell may do anything else with it.
 *
 * @param home what a leading `~` stands for
 */
export function readWord(node: SyntaxNode, text: string, home: string): WordReading | Opacity {
  const parts: Part[] = [];
  const pieces = node.type === "concatenation" ? node.children : [node];
  if (!areAdjacent(pieces)) return opaque("a word has a gap in it");
  for (const piece of pieces) {
    const read = readPiece(piece, text);
    if ("opaque" in read) return read;
    parts.push(...read);
  }
  return { word: wordOf(parts, home), substitutions: parts.flatMap((part) => ("runs" in part ? part.runs : [])) };
}

/** Whether a node may be a word at all. */
export function isWordNode(node: SyntaxNode): boolean {
  return WORD_TYPES.has(node.type);
}

const WORD_TYPES: ReadonlySet<string> = new Set([
  "word", "number", "string", "raw_string", "ansi_c_string", "concatenation", "simple_expansion", "expansion",
  "command_substitution", "process_substitution", "arithmetic_expansion",
]);

/**
 * - `literal`: these characters; quoted ones mean nothing to the shell
 * - `computed`: unknown characters; unquoted ones may become several words
 */
type Part =
  | { readonly type: "literal"; readonly value: string; readonly isQuoted: boolean }
  | { readonly type: "computed"; readonly isMultiple: boolean; readonly runs: readonly SyntaxNode[] };

function readPiece(node: SyntaxNode, text: string): readonly Part[] | Opacity {
  const raw = text.slice(node.start, node.end);
  switch (node.type) {
    case "word":
    case "number":
      return node.children.length === 0 ? unescaped(raw) : opaque("a word holds something that is not known");
    case "raw_string":
      return [{ type: "literal", value: raw.slice(1, -1), isQuoted: true }];
    case "ansi_c_string": {
      const value = decodeAnsiString(raw.slice(2, -1));
      return value === undefined ? opaque("a quoted word has unusual escapes") : [{ type: "literal", value, isQuoted: true }];
    }
    case "string":
      return readString(node, text);
    default:
      return readExpansion(node, text, { isQuoted: false });
  }
}

/** The text of double quotes: everything between its expansions is literal. */
function readString(node: SyntaxNode, text: string): readonly Part[] | Opacity {
  const parts: Part[] = [];
  let position = node.start + 1;
  for (const child of node.children) {
    if (child.type === '"' || child.type === "string_content") continue;
    const before = quotedLiteral(text.slice(position, child.start));
    const read = readExpansion(child, text, { isQuoted: true });
    if ("opaque" in before) return before;
    if ("opaque" in read) return read;
    parts.push(before, ...read);
    position = child.end;
  }
  const rest = quotedLiteral(text.slice(position, node.end - 1));
  return "opaque" in rest ? rest : [...parts, rest];
}

/** What the parser did not take for an expansion must not be one. */
function quotedLiteral(raw: string): Part | Opacity {
  const bare = raw.replace(/\\[\s\S]/g, "");
  if (/[`"]|\$[({[\w*@#?$!-]|\\$/.test(bare)) return opaque("a quoted word holds an expansion that was not understood");
  return { type: "literal", value: raw.replace(/\\([$`"\\])/g, "$1"), isQuoted: true };
}

/** Expansions of variables that can do nothing but give their value, or cut it at its ends. */
const SIMPLE_EXPANSION = /^\$(?:\{#?[A-Za-z_]\w*\}|\{[A-Za-z_]\w*(?::?[-+]|##?|%%?)[\w./*?, -]*\}|[A-Za-z_]\w*|[0-9?$!#-])$/;
const ALL_ARGUMENTS = /^\$(?:[@*]|\{[@*]\})$/;
const NUMBERS_ALONE = /^\$\(\([\d+*/%() <>=&|!-]*\)\)$/;

function readExpansion(node: SyntaxNode, text: string, { isQuoted }: { readonly isQuoted: boolean }): readonly Part[] | Opacity {
  const raw = text.slice(node.start, node.end);
  const computed = (runs: readonly SyntaxNode[] = []): readonly Part[] => [{ type: "computed", isMultiple: !isQuoted, runs }];
  switch (node.type) {
    case "simple_expansion":
    case "expansion":
      if (ALL_ARGUMENTS.test(raw)) return [{ type: "computed", isMultiple: true, runs: [] }];
      return SIMPLE_EXPANSION.test(raw) ? computed() : opaque(`the expansion "${raw}" can run commands`);
    case "arithmetic_expansion":
      return NUMBERS_ALONE.test(raw) ? computed() : opaque(`the arithmetic "${raw}" can run commands`);
    case "command_substitution":
      if (raw.startsWith("`") && raw.includes("\\")) return opaque("there are escapes within backquotes");
      return computed([node]);
    case "process_substitution":
      return isQuoted ? opaque("a process substitution stands in quotes") : [{ type: "computed", isMultiple: false, runs: [node] }];
    default:
      return opaque(`it has a part that is not known ("${node.type}")`);
  }
}

/** The characters of an unquoted word; those behind a backslash count as quoted. */
function unescaped(raw: string): readonly Part[] | Opacity {
  const parts: Part[] = [];
  for (const [piece] of raw.matchAll(/\\[\s\S]|[^\\]+|\\$/g)) {
    if (piece === "\\") return opaque("a backslash ends a word");
    if (piece.startsWith("\\")) parts.push({ type: "literal", value: piece.slice(1), isQuoted: true });
    else if (/[`$"'()<>|&;\s]/.test(piece)) return opaque("a word holds a character that was not understood");
    else parts.push({ type: "literal", value: piece, isQuoted: false });
  }
  return parts;
}

function areAdjacent(pieces: readonly SyntaxNode[]): boolean {
  return pieces.every((piece, index) => index === 0 || pieces[index - 1]?.end === piece.start);
}

/** Without a comma or two dots between them, braces stand for themselves. */
const BRACES = /\{.*(?:,|\.\.)/s;

function wordOf(parts: readonly Part[], home: string): ShellWord {
  const tilde = tildeOf(parts);
  const unquoted = parts.map((part) => (part.type === "computed" ? "\0" : part.isQuoted ? "\x01".repeat(part.value.length) : part.value)).join("");
  const hasBraces = BRACES.test(unquoted);
  const certain: string[] = [];
  for (const part of parts) {
    if (part.type === "computed") return { prefix: prefixed(certain, tilde, home), isMultiple: hasBraces || /[*?[]/.test(unquoted) || parts.some((each) => each.type === "computed" && each.isMultiple) };
    const stop = part.isQuoted ? -1 : part.value.search(hasBraces ? /[*?[{]/ : /[*?[]/);
    if (stop === -1) certain.push(part.value);
    else {
      certain.push(part.value.slice(0, stop));
      return patternWord({ prefix: prefixed(certain, tilde, home), rest: restOf(parts, part, stop), hasBraces, isComputed: parts.some((each) => each.type === "computed") });
    }
  }
  if (tilde === "unknown") return { prefix: "", isMultiple: false };
  const value = prefixed(certain, tilde, home);
  return { value, prefix: value, isMultiple: false };
}

/** `home` where the word begins with the home directory, `unknown` where the shell looks up something else for a tilde. */
function tildeOf(parts: readonly Part[]): "none" | "home" | "unknown" {
  const [first] = parts;
  const isUnquoted = first?.type === "literal" && !first.isQuoted;
  if (isUnquoted && /^~(?:\/|$)/.test(first.value) && (parts.length === 1 || first.value !== "~")) return "home";
  const hasTilde = parts.some((part) => part.type === "literal" && !part.isQuoted && /(?:^|[:=])~/.test(part.value));
  return hasTilde ? "unknown" : "none";
}

function prefixed(certain: readonly string[], tilde: "none" | "home" | "unknown", home: string): string {
  if (tilde === "unknown") return "";
  const text = certain.join("");
  return tilde === "home" ? home + text.slice(1) : text;
}

function restOf(parts: readonly Part[], from: Part, stop: number): string {
  return parts.slice(parts.indexOf(from)).map((part) => (part.type === "literal" ? part.value : "")).join("").slice(stop);
}

function patternWord(pattern: { readonly prefix: string; readonly rest: string; readonly hasBraces: boolean; readonly isComputed: boolean }): ShellWord {
  const { prefix, rest } = pattern;
  const glob = pattern.hasBraces || pattern.isComputed || rest.includes("/") ? undefined : globOf(prefix);
  // An unquoted expansion within the word may split it; what comes behind the split begins with anything.
  const isCertain = !pattern.isComputed;
  return { prefix: isCertain ? prefix : "", isMultiple: true, ...(glob === undefined ? {} : { glob }) };
}

function globOf(prefix: string): ShellGlob {
  const slash = prefix.lastIndexOf("/");
  return { directory: prefix.slice(0, slash + 1), isForHidden: prefix.slice(slash + 1).startsWith(".") };
}
