import { isRedirectionNode } from "./read-redirection.ts";
import { isWordNode } from "./read-word.ts";
import { hide, type Reading, sourceOf } from "./reading.ts";
import { childOfType, namedChildren, type SyntaxNode } from "./syntax-tree.ts";

/** What of a here-document is more than its text. */
export interface HeredocParts {
  /** What is substituted in its text. */
  readonly expansions: readonly SyntaxNode[];
  /** Further redirections and words of the same command. */
  readonly redirections: readonly SyntaxNode[];
  readonly words: readonly SyntaxNode[];
  /** The commands behind it on the line of its mark. */
  readonly statements: readonly SyntaxNode[];
}

/**
 * Reads a here-document. With a quoted mark its text is data; otherwise what is substituted in it runs. What stands on the
 * line behind the mark, the parser puts into the here-document too.
 */
export function readHeredoc(reading: Reading, node: SyntaxNode): HeredocParts {
  const problem = problemOfEnd(reading, node);
  if (problem !== undefined) hide(reading, problem);
  const rest = node.children.filter(({ type }) => !PASSED_OVER.has(type));
  const strange = rest.find(({ isNamed }) => !isNamed);
  if (strange !== undefined) hide(reading, `it has a part that is not known ("${strange.type}")`);
  return {
    expansions: expansionsOf(reading, node),
    redirections: rest.filter(isRedirectionNode),
    words: rest.filter(isWordNode),
    statements: rest.filter((child) => child.isNamed && !isRedirectionNode(child) && !isWordNode(child)),
  };
}

const PASSED_OVER: ReadonlySet<string> = new Set(["<<", "<<-", "heredoc_start", "heredoc_body", "heredoc_end", "comment", "&&", "||", "|", "|&", ";", "&", "\n"]);

function expansionsOf(reading: Reading, node: SyntaxNode): readonly SyntaxNode[] {
  const start = childOfType(node, "heredoc_start");
  const body = childOfType(node, "heredoc_body");
  if (body === undefined || (start !== undefined && /['"]/.test(sourceOf(reading, start)))) return [];
  const expansions = namedChildren(body).filter(({ type }) => type !== "heredoc_content");
  let position = body.start;
  for (const { start: next, end } of [...expansions, { start: body.end, end: body.end }]) {
    // What the parser did not take for a substitution must not be one.
    const between = reading.text.slice(position, next).replace(/\\[\s\S]/g, "");
    if (/`|\$[({[\w*@#?$!-]/.test(between)) hide(reading, "a here-document holds an expansion that was not understood");
    position = end;
  }
  return expansions;
}

/** Where the text of a here-document ends must be beyond doubt: what comes behind it runs. */
function problemOfEnd(reading: Reading, node: SyntaxNode): string | undefined {
  const start = childOfType(node, "heredoc_start");
  const end = childOfType(node, "heredoc_end");
  if (start === undefined || end === undefined) return "a here-document does not end";
  // Whatever is glued to it belongs to the mark.
  if (/[^\s;&|<>()]/.test(reading.text[start.end] ?? " ")) return "the mark of a here-document is unusual";
  const mark = /^(['"]?)(\w+)\1$/.exec(sourceOf(reading, start))?.[2];
  if (mark === undefined) return "the mark of a here-document is unusual";
  const isIndented = childOfType(node, "<<-") !== undefined;
  const isMark = (line: string | undefined) => (isIndented ? line?.replace(/^\t+/, "") : line) === mark;
  const firstLine = reading.text.indexOf("\n", start.end) + 1;
  const lines = reading.text.slice(firstLine, end.end).split("\n");
  const isExact = firstLine > 0 && isMark(lines.at(-1)) && !lines.slice(0, -1).some(isMark) && /^(?:\n|$)/.test(reading.text.slice(end.end));
  return isExact ? undefined : "it is not certain where a here-document ends";
}
