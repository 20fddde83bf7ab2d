import type { SyntaxNode } from "./syntax-tree.ts";

/**
 * What stands between the children of a node beside blanks, or behind the last of a whole text: characters that the
 * parser passed over. Undefined where there is nothing.
 */
export function gapIn(node: SyntaxNode, text: string): string | undefined {
  let position = node.type === "program" ? 0 : (node.children[0]?.start ?? node.end);
  const end = node.type === "program" ? text.length : node.end;
  for (const child of [...node.children, { start: end, end }]) {
    const gap = text.slice(position, child.start);
    if (!/^[ \t\n]*$/.test(gap)) return gap.trim().slice(0, 20);
    position = Math.max(position, child.end);
  }
  return undefined;
}
