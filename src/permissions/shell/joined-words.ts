import { isWordNode } from "./read-word.ts";
import type { SyntaxNode } from "./syntax-tree.ts";

/** Puts together what the parser takes for several words though nothing stands between them, as of `'a'\\b`. */
export function joinedWords(nodes: readonly SyntaxNode[]): readonly SyntaxNode[] {
  const joined: SyntaxNode[] = [];
  for (const node of nodes) {
    const last = joined.at(-1);
    if (last === undefined || last.end !== node.start || !isWordNode(last) || !isWordNode(node)) joined.push(node);
    else joined[joined.length - 1] = { type: "concatenation", isNamed: true, start: last.start, end: node.end, children: [...piecesOf(last), ...piecesOf(node)] };
  }
  return joined;
}

function piecesOf(node: SyntaxNode): readonly SyntaxNode[] {
  return node.type === "concatenation" ? node.children : [node];
}
