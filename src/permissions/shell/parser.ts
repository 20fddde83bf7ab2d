import { readFileSync } from "node:fs";
import bashGrammar from "tree-sitter-bash/tree-sitter-bash.wasm" with { type: "file" };
import { Language, Parser, type TreeCursor } from "web-tree-sitter";
import runtime from "web-tree-sitter/web-tree-sitter.wasm" with { type: "file" };
import type { ShellParser, SyntaxNode } from "./syntax-tree.ts";

/** What a shell text may have of nodes and of levels, so that looking at it is quick whatever it is. */
const NODES_MAX = 20_000;
const LEVELS_MAX = 25_000;
const TEXT_CHARS_MAX = 131_072;
/** Some texts, as of thousands of here-documents, take the parser time that grows with the square of their length. */
const PARSE_MS_MAX = 40;

/** Loads the parser of bash. It takes tens of milliseconds, so it is done where a text has to be looked at, and once. */
export async function openShellParser(): Promise<ShellParser> {
  await Parser.init({ wasmBinary: readFileSync(runtime) });
  const parser = new Parser();
  parser.setLanguage(await Language.load(readFileSync(bashGrammar)));
  return (text) => {
    if (text.length > TEXT_CHARS_MAX) return undefined;
    const startedAt = performance.now();
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() - startedAt > PARSE_MS_MAX });
    if (tree === null) {
      // Otherwise it would go on with this text at the next one.
      parser.reset();
      return undefined;
    }
    try {
      return tree.rootNode.hasError ? undefined : copyTree(tree.walk());
    } finally {
      tree.delete();
    }
  };
}

type GrowingNode = SyntaxNode & { readonly children: SyntaxNode[] };

/** Reads the tree out without recursion: a list of twenty thousand commands is nested as deep. */
function copyTree(cursor: TreeCursor): SyntaxNode | undefined {
  try {
    const root = nodeAt(cursor);
    const path = [root];
    let count = 1;
    for (;;) {
      if (cursor.gotoFirstChild()) path.push(attach(path.at(-1), nodeAt(cursor)));
      else {
        while (!cursor.gotoNextSibling()) {
          path.pop();
          if (!cursor.gotoParent()) return root;
        }
        path[path.length - 1] = attach(path.at(-2), nodeAt(cursor));
      }
      if (++count > NODES_MAX || path.length > LEVELS_MAX) return undefined;
    }
  } finally {
    cursor.delete();
  }
}

function nodeAt(cursor: TreeCursor): GrowingNode {
  return { type: cursor.nodeType, isNamed: cursor.nodeIsNamed, start: cursor.startIndex, end: cursor.endIndex, children: [] };
}

function attach(parent: GrowingNode | undefined, node: GrowingNode): GrowingNode {
  parent?.children.push(node);
  return node;
}
