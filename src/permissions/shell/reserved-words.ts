/**
 * Whether a word where a program is expected may be a part of the shell's grammar that the parser did not recognize, or
 * something that is no program.
 */
export function reservedProgram(word: string): boolean {
  return word === "" || RESERVED.has(word) || /^-|[={}]|\s/.test(word);
}

const RESERVED: ReadonlySet<string> = new Set([
  "!", "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "function", "select", "[[", "]]", "]", "((", "))",
]);
