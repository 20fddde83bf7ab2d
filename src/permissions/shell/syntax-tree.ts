/** A node of a parsed shell text, as plain data. Positions are indices into the text. */
export interface SyntaxNode {
  readonly type: string;
  /** False for punctuation and keywords, whose type is their text. */
  readonly isNamed: boolean;
  readonly start: number;
  readonly end: number;
  readonly children: readonly SyntaxNode[];
}

/** Parses a shell text. Undefined where the parser does not understand it, or where it is too large to be looked at. */
export type ShellParser = (text: string) => SyntaxNode | undefined;

/** The first node of a type among the children of a node. */
export function childOfType(node: SyntaxNode, type: string): SyntaxNode | undefined {
  return node.children.find((child) => child.type === type);
}

export function namedChildren(node: SyntaxNode): readonly SyntaxNode[] {
  return node.children.filter((child) => child.isNamed);
}
