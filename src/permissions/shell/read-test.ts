import { hide, lookAt, type Reading, sourceOf, takeWord } from "./reading.ts";
import { isWordNode } from "./read-word.ts";
import type { SyntaxNode } from "./syntax-tree.ts";

/**
 * Reads `[ … ]` or `[[ … ]]`. Some tests evaluate their operands as arithmetic or as names of variables, which can run
 * commands; only those are harmless that are known to take their operands as they are.
 */
export function readTest(reading: Reading, test: SyntaxNode, isRepeated: boolean): void {
  const isOld = test.children[0]?.type === "[";
  const runs: SyntaxNode[] = [];
  const pending = [...test.children];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (isWordNode(node)) {
      const { value } = takeWord(reading, node, runs);
      // `[` would take it for an operator, or for a name with an index.
      if (value !== undefined && /^-[vRot]$|\[/.test(value)) hide(reading, "a test can run commands");
    } else if (node.type === "test_operator" || !node.isNamed) {
      const operator = sourceOf(reading, node);
      if (!(isOld ? OLD_OPERATORS : NEW_OPERATORS).has(operator)) hide(reading, `the test "${operator}" is not known to run nothing`);
    } else if (EXPRESSIONS.has(node.type)) pending.push(...node.children);
    else if (node.type === "extglob_pattern" && /^[\w.*?/-]*$/.test(sourceOf(reading, node))) continue;
    else hide(reading, "a test was not understood");
  }
  lookAt(reading, runs.toReversed(), isRepeated);
}

const EXPRESSIONS: ReadonlySet<string> = new Set(["unary_expression", "binary_expression", "parenthesized_expression"]);

const FILE_TESTS = ["-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-p", "-S", "-b", "-c", "-n", "-z", "-nt", "-ot", "-ef"];

/** `[` takes numbers as they are; `>` in it would be a redirection. */
const OLD_OPERATORS: ReadonlySet<string> = new Set(["[", "]", ...FILE_TESTS, "!", "=", "==", "!=", "-a", "-o", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

const NEW_OPERATORS: ReadonlySet<string> = new Set(["[[", "]]", ...FILE_TESTS, "!", "=", "==", "!=", "&&", "||", "(", ")", "<", ">"]);
