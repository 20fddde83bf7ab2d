/**
 * Joins lines that end with a backslash, as the shell does before anything else. Only where no quote, comment or
 * here-document is in the text, in all of which a backslash may mean something else; such a text stays as it is.
 */
export function joinContinuedLines(text: string): string {
  if (!text.includes("\\\n") || /['#]|<</.test(text)) return text;
  return text.replace(/\\(?:\n|[\s\S])/g, (escape) => (escape === "\\\n" ? "" : escape));
}
