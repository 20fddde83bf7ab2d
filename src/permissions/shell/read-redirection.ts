import type { ShellRedirection, ShellWord } from "../../core/shell-command.ts";
import { type Opacity, opaque } from "./opacity.ts";
import type { SyntaxNode } from "./syntax-tree.ts";

export function isRedirectionNode({ type }: SyntaxNode): boolean {
  return type === "file_redirect" || type === "heredoc_redirect" || type === "herestring_redirect";
}

/**
 * What a redirection does to the file or descriptor behind its operator. Undefined where it touches no file.
 *
 * @param target undefined where there is nothing behind the operator
 */
export function redirectionOf(operator: string, target: ShellWord | undefined): ShellRedirection | Opacity | undefined {
  if (operator === "<<<") return { kind: "input" };
  if (operator === ">&-" || operator === "<&-") return undefined;
  if (target === undefined || target.isMultiple) return opaque("the target of a redirection is not certain");
  if (operator === ">&" || operator === "<&") {
    if (target.value === undefined) return opaque("the target of a redirection is not certain");
    if (/^(?:\d+-?|-)$/.test(target.value)) return undefined;
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
