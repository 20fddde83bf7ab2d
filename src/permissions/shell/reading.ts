import type { ShellCommand, ShellWord } from "../../core/shell-command.ts";
import { createPlaces, type Places } from "./places.ts";
import { isWordNode, readWord } from "./read-word.ts";
import type { SyntaxNode } from "./syntax-tree.ts";

/** What is known while a text is read. */
export interface Reading {
  readonly text: string;
  /** What `~` stands for. */
  readonly home: string;
  /** What is still to be looked at, the next one last: texts are nested deeper than calls may be. */
  readonly pending: PendingNode[];
  readonly commands: ShellCommand[];
  /** The functions that are certainly defined when anything of their name is called. */
  readonly functions: Set<string>;
  /** The statements of the text itself, which all run unless the shell ends. */
  readonly outermost: readonly SyntaxNode[];
  readonly places: Places;
  /** How many places there were when the first function was defined. */
  placesOfFunctions: number | undefined;
  /** How many characters of commands may still be looked at: those of nested ones count at each level. */
  charsLeft: number;
  /** The first reason for which it cannot be told what else runs. */
  opaque: string | undefined;
}

export interface PendingNode {
  readonly node: SyntaxNode;
  /** Within a loop or a function, which may run any number of times. */
  readonly isRepeated: boolean;
}

const READ_CHARS_MAX = 1_000_000;

export function createReading(text: string, { root, home }: { readonly root: SyntaxNode; readonly home: string }): Reading {
  return { text, home, pending: [], commands: [], functions: new Set(), outermost: root.children, places: createPlaces(), placesOfFunctions: undefined, charsLeft: READ_CHARS_MAX, opaque: undefined };
}

export function hide(reading: Reading, why: string): void {
  reading.opaque ??= why;
}

/** Puts nodes on the list, the first of them to be looked at next. */
export function lookAt(reading: Reading, nodes: readonly SyntaxNode[], isRepeated: boolean): void {
  for (const node of nodes.toReversed()) reading.pending.push({ node, isRepeated });
}

export function sourceOf({ text }: Reading, node: SyntaxNode): string {
  return text.slice(node.start, node.end);
}

/** Reads a word and puts what runs within it into `runs`. A word that is not understood is a computed one. */
export function takeWord(reading: Reading, node: SyntaxNode, runs: SyntaxNode[]): ShellWord {
  const read = isWordNode(node) ? readWord(node, reading.text, reading.home) : { opaque: `it has a part that is not known ("${node.type}")` };
  if ("opaque" in read) {
    hide(reading, read.opaque);
    runs.push(...substitutionsWithin(node));
    return { prefix: "", isMultiple: true };
  }
  runs.push(...read.substitutions);
  return read.word;
}

/** The outermost parts of a node that run commands: even of what is not understood, everything that is seen counts. */
function substitutionsWithin(root: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === "command_substitution" || node.type === "process_substitution") found.push(node);
    else pending.push(...node.children);
  }
  return found;
}
