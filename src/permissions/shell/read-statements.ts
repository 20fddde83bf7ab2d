import type { ShellAnalysis } from "../../core/shell-command.ts";
import { gapIn } from "./gap-in.ts";
import { isPlainVariable } from "./plain-variable.ts";
import { readSimpleCommand } from "./read-simple-command.ts";
import { createReading, hide, lookAt, type PendingNode, type Reading, sourceOf, takeWord } from "./reading.ts";
import { isRedirectionNode } from "./read-redirection.ts";
import { isWordNode } from "./read-word.ts";
import { namedChildren, type SyntaxNode } from "./syntax-tree.ts";
import { readTest } from "./read-test.ts";

/** Reads the simple commands of a parsed text in the order in which they stand, and whether there may be others. */
export function readStatements(root: SyntaxNode, text: string, home: string): ShellAnalysis {
  const reading = createReading(text, { root, home });
  lookAt(reading, [root], false);
  for (let next = reading.pending.pop(); next !== undefined; next = reading.pending.pop()) {
    if (COMMANDS.has(next.node.type)) reading.charsLeft -= next.node.end - next.node.start;
    if (reading.charsLeft < 0) return { commands: [], functions: new Set(), opaque: "its commands are nested too deep" };
    readStatement(reading, next);
  }
  const { placesOfFunctions } = reading;
  if (placesOfFunctions !== undefined && reading.places.now().length > placesOfFunctions) hide(reading, "a function may run in a directory to which it changes later");
  const { commands, functions, opaque } = reading;
  return { commands, functions, ...(opaque === undefined ? {} : { opaque }) };
}

const COMMANDS: ReadonlySet<string> = new Set(["command", "command_substitution", "process_substitution", "redirected_statement"]);

function readStatement(reading: Reading, { node, isRepeated }: PendingNode): void {
  const keywords = STRUCTURES.get(node.type);
  if (keywords !== undefined) {
    checkPunctuation(reading, node, keywords);
    lookAt(reading, namedChildren(node), isRepeated || node.type === "while_statement");
    return;
  }
  switch (node.type) {
    case "comment":
    case "heredoc_content":
      return;
    case "for_statement":
      return readLoop(reading, node);
    case "case_statement":
      return readCase(reading, node, isRepeated);
    case "function_definition":
      return readDefinition(reading, node);
    case "command_substitution":
    case "process_substitution":
      return readSubstitution(reading, node, isRepeated);
    case "redirected_statement":
      return readRedirected(reading, node, isRepeated);
    case "command":
    case "declaration_command":
    case "unset_command":
    case "variable_assignment":
    case "variable_assignments":
      return readSimpleCommand(reading, { node, isRepeated });
    case "test_command":
      return readTest(reading, node, isRepeated);
    default:
      return readUnknown(reading, node, isRepeated);
  }
}

/** What consists of statements, and the keywords that may stand between them. */
const STRUCTURES: ReadonlyMap<string, readonly string[]> = new Map([
  ["program", []],
  ["list", ["&&", "||"]],
  ["pipeline", ["|", "|&"]],
  ["subshell", ["(", ")"]],
  ["compound_statement", ["{", "}"]],
  ["if_statement", ["if", "then", "fi"]],
  ["elif_clause", ["elif", "then"]],
  ["else_clause", ["else"]],
  ["while_statement", ["while", "until"]],
  ["negated_command", ["!"]],
  ["do_group", ["do", "done"]],
]);

const SEPARATORS: ReadonlySet<string> = new Set([";", "\n", "&"]);

function checkPunctuation(reading: Reading, node: SyntaxNode, allowed: readonly string[]): void {
  const strange = node.children.find((child) => !child.isNamed && !SEPARATORS.has(child.type) && !allowed.includes(child.type));
  if (strange !== undefined) hide(reading, `it has a part that is not known ("${strange.type}")`);
  const gap = gapIn(node, reading.text);
  if (gap !== undefined) hide(reading, `a part of it was not understood ("${gap}")`);
}

/** Of what is not understood, at least what it runs is seen. */
function readUnknown(reading: Reading, node: SyntaxNode, isRepeated: boolean): void {
  hide(reading, `it has a part that is not known ("${node.type}")`);
  lookAt(reading, namedChildren(node), isRepeated);
}

/** Words that are not part of a command, as of a loop, and what runs within them. */
function readWords(reading: Reading, nodes: readonly SyntaxNode[]): readonly SyntaxNode[] {
  const runs: SyntaxNode[] = [];
  for (const node of nodes.filter(isWordNode)) takeWord(reading, node, runs);
  return runs;
}

function readLoop(reading: Reading, node: SyntaxNode): void {
  checkPunctuation(reading, node, ["for", "in"]);
  const [variable, ...parts] = namedChildren(node);
  if (variable?.type !== "variable_name" || !isPlainVariable(sourceOf(reading, variable))) {
    hide(reading, "a loop sets a variable that may mean something to programs");
  }
  lookAt(reading, [...readWords(reading, parts), ...parts.filter((part) => !isWordNode(part))], true);
}

function readCase(reading: Reading, node: SyntaxNode, isRepeated: boolean): void {
  checkPunctuation(reading, node, ["case", "in", "esac"]);
  const parts: SyntaxNode[] = [];
  for (const child of namedChildren(node)) {
    if (child.type !== "case_item") parts.push(child);
    else {
      checkPunctuation(reading, child, ["(", ")", "|", ";;"]);
      parts.push(...namedChildren(child).filter((part) => part.type !== "extglob_pattern" || !isPlainPattern(reading, part)));
    }
  }
  lookAt(reading, [...readWords(reading, parts), ...parts.filter((part) => !isWordNode(part))], isRepeated);
}

function isPlainPattern(reading: Reading, pattern: SyntaxNode): boolean {
  return pattern.children.length === 0 && /^[\w.*?/-]*$/.test(sourceOf(reading, pattern));
}

function readDefinition(reading: Reading, node: SyntaxNode): void {
  const [name, ...body] = namedChildren(node);
  checkPunctuation(reading, node, ["function", "(", ")"]);
  if (name !== undefined && isCertain(reading, node, sourceOf(reading, name))) reading.functions.add(sourceOf(reading, name));
  reading.placesOfFunctions ??= reading.places.now().length;
  lookAt(reading, body, true);
}

/** Whether a function is defined whatever happens, and before anything of its name may be called: that would be a program. */
function isCertain({ outermost, commands }: Reading, node: SyntaxNode, name: string): boolean {
  const at = outermost.indexOf(node);
  return at !== -1 && outermost[at + 1]?.type !== "&" && !commands.some(({ words }) => words[0]?.value === name);
}

/** `$(<file)` reads a file; everything else in a substitution is statements. */
function readSubstitution(reading: Reading, node: SyntaxNode, isRepeated: boolean): void {
  checkPunctuation(reading, node, ["$(", "`", ")", "<(", ">("]);
  const parts = namedChildren(node);
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && isRedirectionNode(only)) readSimpleCommand(reading, { node, isRepeated, redirections: [only], hasBody: false });
  else lookAt(reading, parts, isRepeated);
}

function readRedirected(reading: Reading, original: SyntaxNode, isRepeated: boolean): void {
  const node = withLostDash(original, reading.text);
  const parts = namedChildren(node);
  const redirections = parts.filter(isRedirectionNode);
  const [body, ...others] = parts.filter((part) => !isRedirectionNode(part));
  if (others.length > 0 || node.children.some(({ isNamed }) => !isNamed)) hide(reading, "a redirection was not understood");
  if (body !== undefined && ENDING_WITH_COMMAND.has(body.type)) {
    lookAt(reading, [withRedirections(body, redirections, node.end)], isRepeated);
    return;
  }
  checkPunctuation(reading, node, []);
  if (body?.type === "command" || body?.type === "declaration_command") {
    readSimpleCommand(reading, { node: body, isRepeated, redirections });
    return;
  }
  // Of a block or a loop: what the redirection does, then what is in it.
  if (body !== undefined) lookAt(reading, [body, ...others], isRepeated);
  readSimpleCommand(reading, { node, isRepeated, redirections, hasBody: false });
}

const ENDING_WITH_COMMAND: ReadonlySet<string> = new Set(["list", "pipeline", "negated_command"]);

/** The parser puts redirections around a list, where they belong to its last command. */
function withRedirections(body: SyntaxNode, redirections: readonly SyntaxNode[], end: number): SyntaxNode {
  const last = body.children.at(-1);
  if (last === undefined) return { ...body, end, children: redirections };
  const redirected: SyntaxNode = { type: "redirected_statement", isNamed: true, start: last.start, end, children: [last, ...redirections] };
  return { ...body, end, children: [...body.children.slice(0, -1), redirected] };
}

/** In front of a here-document the parser loses a dash that is a word of its own. */
function withLostDash(node: SyntaxNode, text: string): SyntaxNode {
  const [command, heredoc, ...others] = node.children;
  if (command?.type !== "command" || heredoc?.type !== "heredoc_redirect") return node;
  const gap = text.slice(command.end, heredoc.start);
  if (!/^[ \t]+-[ \t]*$/.test(gap)) return node;
  const start = command.end + gap.indexOf("-");
  const dash: SyntaxNode = { type: "word", isNamed: true, start, end: start + 1, children: [] };
  return { ...node, children: [{ ...command, end: dash.end, children: [...command.children, dash] }, heredoc, ...others] };
}
