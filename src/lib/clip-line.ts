/**
 * A line of at most `charsMax` UTF-16 units, cut between characters; a note at the end, on top of the limit, counts what
 * is missing.
 */
export function clipLine(line: string, charsMax: number): string {
  if (line.length <= charsMax) return line;
  const unit = line.charCodeAt(charsMax);
  const cut = unit >= 0xdc00 && unit <= 0xdfff ? charsMax - 1 : charsMax;
  return `${line.slice(0, cut)} [${line.length - cut} more characters]`;
}
