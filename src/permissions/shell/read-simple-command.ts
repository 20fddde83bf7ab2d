import type { ShellAssignment, ShellRedirection, ShellWord } from "../../core/shell-command.ts";
import { gapIn } from "./gap-in.ts";
import { joinedWords } from "./joined-words.ts";
import { readHeredoc } from "./read-heredoc.ts";
import { isRedirectionNode, isUnclearRedirection, redirectionOf } from "./read-redirection.ts";
import { hide, lookAt, type Reading, sourceOf, takeWord } from "./reading.ts";
import { namedChildren, type SyntaxNode } from "./syntax-tree.ts";

/** What of a simple command has been read so far. */
interface GrowingCommand {
  readonly words: ShellWord[];
  readonly assignments: ShellAssignment[];
  readonly redirections: ShellRedirection[];
  /** What runs within its words, or behind it. */
  readonly runs: SyntaxNode[];
}

/**
 * Reads one command with its assignments and redirections.
 *
 * @param params.redirections those that stand around the node
 * @param params.hasBody whether the node itself is read; false where only the redirections around it count
 */
export function readSimpleCommand(
  reading: Reading,
  params: { readonly node: SyntaxNode; readonly isRepeated: boolean; readonly redirections?: readonly SyntaxNode[]; readonly hasBody?: boolean },
): void {
  const { node, isRepeated, redirections = [], hasBody = true } = params;
  const command: GrowingCommand = { words: [], assignments: [], redirections: [], runs: [] };
  if (hasBody) readParts(reading, node, command);
  for (const redirection of redirections) addRedirection(reading, redirection, command);
  const { words, assignments } = command;
  if (!hasBody && words.length > 0) hide(reading, "a redirection was not understood");
  reading.commands.push({ words, assignments, redirections: command.redirections, directories: reading.places.now(), text: sourceOf(reading, node).trim() });
  const move = moveOf(words);
  if (move !== undefined) {
    const problem = isRepeated ? "it changes the directory in a loop or a function" : reading.places.move(move);
    if (problem !== undefined) hide(reading, problem);
  }
  lookAt(reading, command.runs, isRepeated);
}

/** The arguments of a `cd` that moves the shell itself. */
function moveOf(words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  const at = words.findIndex(({ value = "" }) => !["command", "builtin", "time", "--", "-p"].includes(value));
  return words[at]?.value === "cd" ? words.slice(at + 1) : undefined;
}

function readParts(reading: Reading, node: SyntaxNode, command: GrowingCommand): void {
  if (node.type === "variable_assignment") return addAssignment(reading, node, command);
  const gap = gapIn(node, reading.text);
  if (gap !== undefined) hide(reading, `a part of it was not understood ("${gap}")`);
  const [keyword] = node.children;
  if (keyword?.isNamed === false) command.words.push(literal(sourceOf(reading, keyword)));
  if (node.children.slice(1).some(({ isNamed }) => !isNamed)) hide(reading, "a part of a command was not understood");
  const parts = joinedWords(namedChildren(node).map(withoutName));
  const isTorn = parts.some((part, index) => parts[index - 1]?.end === part.start && !isRedirectionNode(part));
  if (isTorn) hide(reading, "a word was not understood");
  for (const part of parts) readPart(reading, part, command);
}

/** The word that is the name of a command. */
function withoutName(part: SyntaxNode): SyntaxNode {
  const [name] = part.children;
  return part.type === "command_name" && name !== undefined && part.children.length === 1 ? name : part;
}

function readPart(reading: Reading, part: SyntaxNode, command: GrowingCommand): void {
  if (part.type === "variable_assignment") return addAssignment(reading, part, command);
  if (isRedirectionNode(part)) return addRedirection(reading, part, command);
  if (part.type === "variable_name") {
    command.words.push(literal(sourceOf(reading, part)));
    return;
  }
  command.words.push(takeWord(reading, part, command.runs));
}

function addAssignment(reading: Reading, node: SyntaxNode, command: GrowingCommand): void {
  const [name, value, ...others] = namedChildren(node);
  const isSimple = name?.type === "variable_name" && others.length === 0 && node.children.some(({ type }) => type === "=");
  if (!isSimple) hide(reading, "it sets a variable in a way that can run commands");
  const word = value === undefined ? literal("") : takeWord(reading, value, command.runs);
  command.assignments.push({ name: name === undefined ? "" : sourceOf(reading, name), value: word });
}

/** Words behind the target belong to the command, though the parser puts them into the redirection. */
function addRedirection(reading: Reading, node: SyntaxNode, command: GrowingCommand): void {
  if (isUnclearRedirection(node, reading.text)) hide(reading, "a redirection was not understood");
  if (node.type === "heredoc_redirect") return addHeredoc(reading, node, command);
  const operator = node.children.find(({ isNamed }) => !isNamed)?.type ?? "";
  const behind = joinedWords(namedChildren(node).filter(({ type }) => type !== "file_descriptor"));
  const hasTarget = operator !== ">&-" && operator !== "<&-";
  const target = hasTarget ? behind[0] : undefined;
  const redirection = redirectionOf(operator, target === undefined ? undefined : takeWord(reading, target, command.runs));
  if (redirection !== undefined && "opaque" in redirection) hide(reading, redirection.opaque);
  else if (redirection !== undefined) command.redirections.push(redirection);
  for (const word of hasTarget ? behind.slice(1) : behind) command.words.push(takeWord(reading, word, command.runs));
}

function addHeredoc(reading: Reading, node: SyntaxNode, command: GrowingCommand): void {
  const { expansions, redirections, words, statements } = readHeredoc(reading, node);
  command.redirections.push({ kind: "input" });
  for (const expansion of expansions) takeWord(reading, expansion, command.runs);
  for (const redirection of redirections) addRedirection(reading, redirection, command);
  for (const word of joinedWords(words)) command.words.push(takeWord(reading, word, command.runs));
  command.runs.push(...statements);
}

function literal(value: string): ShellWord {
  return { value, prefix: value, isMultiple: false };
}
