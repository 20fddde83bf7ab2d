import type { ShellRedirection, ShellWord } from "../../core/shell-command.ts";
import { gapIn } from "./gap-in.ts";
import { type Opacity, opaque } from "./opacity.ts";
import type { SyntaxNode } from "./syntax-tree.ts";

export function isRedirectionNode({ type }: SyntaxNode): boolean {
  return type === "file_redirect" || type === "heredoc_redirect" || type === "herestring_redirect";
}

/** Why a text is opaque that reads or writes a file whose name the shell computes. */
export const UNCERTAIN_TARGET = "the target of a redirection is not certain";

/** How far in front of a redirection the number of its descriptor may begin. */
const DESCRIPTOR_CHARS_MAX = 12;

/**
 * Whether a redirection is maybe not what the parser takes it for: `{name}>` sets a variable, of `0<&3` it may take the
 * number for a word and of `-o1>` the word for a number, and some characters it passes over. Of `>& -a` the shell takes the
 * dash for the whole target, and what follows for a word.
 */
export function isUnclearRedirection(node: SyntaxNode, text: string): boolean {
  const before = text.slice(Math.max(0, node.start - DESCRIPTOR_CHARS_MAX), node.start);
  if (/\}$|(?:^|[\s;&|()<>])\d+$/.test(before)) return true;
  if (node.type !== "heredoc_redirect" && gapIn(node, text) !== undefined) return true;
  // In front of `<<` it takes a dash, a word of its own, into the operator.
  if (node.children.some(({ type, isNamed, start, end }) => !isNamed && text.slice(start, end) !== type)) return true;
  const isCopy = node.children.some(({ type }) => type === ">&" || type === "<&");
  return node.children.some(({ type, isNamed, start, end }) => {
    if (type === "file_descriptor") return !/^\d+$/.test(text.slice(start, end));
    return isCopy && isNamed && /^-[^\s;&|<>()]/.test(text.slice(start, start + 2));
  });
}

/**
 * What a redirection does to the file or descriptor behind its operator. Undefined where it touches no file.
 *
 * @param target undefined where there is nothing behind the operator
 */
export function redirectionOf(operator: string, target: ShellWord | undefined): ShellRedirection | Opacity | undefined {
  if (operator === "<<<") return { kind: "input" };
  if (operator === ">&-" || operator === "<&-") return undefined;
  if (target === undefined || target.isMultiple) return opaque(UNCERTAIN_TARGET);
  if (operator === ">&" || operator === "<&") {
    if (target.value === undefined) return opaque(UNCERTAIN_TARGET);
    if (/^(?:\d+-?|-)$/.test(target.value)) return undefined;
    // The shell expands the name of a file behind it a second time, quoted or not.
    if (!/^[\w./:@%+,=-]+$/.test(target.value)) return opaque("a redirection is expanded twice");
    return operator === ">&" ? { kind: "write", target } : opaque("a redirection was not understood");
  }
  if (operator === "<") return isNetwork(target) ? opaque("it opens a connection") : { kind: "read", target };
  if (WRITING.has(operator)) return isNetwork(target) ? opaque("it opens a connection") : { kind: "write", target };
  return opaque(`the redirection "${operator}" is not known`);
}

const WRITING: ReadonlySet<string> = new Set([">", ">>", ">|", "&>", "&>>", "<>"]);

/** bash itself connects to what stands behind these names. */
function isNetwork({ prefix }: ShellWord): boolean {
  return /^\/dev\/(?:tcp|udp)(?:\/|$)/.test(prefix);
}
