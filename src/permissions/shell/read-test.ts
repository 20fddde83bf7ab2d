import type { ShellWord } from "../../core/shell-command.ts";
import { hide, lookAt, type Reading, sourceOf, takeWord } from "./reading.ts";
import { isWordNode } from "./read-word.ts";
import type { SyntaxNode } from "./syntax-tree.ts";
import { problemOfTest } from "./problem-of-test.ts";

/**
 * Reads `[ … ]` or `[[ … ]]`. Some tests evaluate their operands as arithmetic or as names of variables, which can run
 * commands; only those are harmless that are known to take their operands as they are.
 */
export function readTest(reading: Reading, test: SyntaxNode, isRepeated: boolean): void {
  const isOld = test.children[0]?.type === "[";
  const parts = partsOf(test);
  const runs: SyntaxNode[] = [];
  if (parts.some((part, index) => isWordNode(part) && parts[index - 1]?.end === part.start && parts[index - 1]?.isNamed === true)) hide(reading, "a word was not understood");
  const words = parts.flatMap((part) => readOperand(reading, { part, isOld, runs }) ?? []);
  if (isOld && problemOfTest(words)) hide(reading, "a test can run commands");
  lookAt(reading, runs, isRepeated);
}

/** Operands and operators in their order. */
function partsOf(test: SyntaxNode): readonly SyntaxNode[] {
  const parts: SyntaxNode[] = [];
  const pending = [test];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node === test || EXPRESSIONS.has(node.type)) pending.push(...node.children.toReversed());
    else parts.push(node);
  }
  return parts;
}

function readOperand(reading: Reading, params: { readonly part: SyntaxNode; readonly isOld: boolean; readonly runs: SyntaxNode[] }): ShellWord | undefined {
  const { part, isOld, runs } = params;
  const source = sourceOf(reading, part);
  if (isWordNode(part)) {
    const word = takeWord(reading, part, runs);
    // A number stays one, whatever the shell makes of it.
    return /^\$[?#$!]$/.test(source) ? { ...word, isMultiple: false } : word;
  }
  if (part.type === "test_operator" || !part.isNamed) {
    if (!(isOld ? OLD_OPERATORS : NEW_OPERATORS).has(source)) hide(reading, `the test "${source}" is not known to run nothing`);
    return { value: source, prefix: source, isMultiple: false };
  }
  if (part.type !== "extglob_pattern" || !/^[\w.*?/-]*$/.test(source)) hide(reading, "a test was not understood");
  return undefined;
}

const EXPRESSIONS: ReadonlySet<string> = new Set(["unary_expression", "binary_expression", "parenthesized_expression"]);

const FILE_TESTS = ["-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-p", "-S", "-b", "-c", "-n", "-z", "-nt", "-ot", "-ef"];

/** `[` takes numbers as they are; `>` in it would be a redirection. */
const OLD_OPERATORS: ReadonlySet<string> = new Set(["[", "]", ...FILE_TESTS, "!", "=", "==", "!=", "-a", "-o", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

const NEW_OPERATORS: ReadonlySet<string> = new Set(["[[", "]]", ...FILE_TESTS, "!", "=", "==", "!=", "&&", "||", "(", ")", "<", ">"]);
