/**
 * Text of at most `bytesMax` bytes of UTF-8, cut between characters; what was cut is counted in a note at the end, which
 * comes on top of the limit.
 */
export function cutToBytes(text: string, bytesMax: number): string {
  // No character takes more than three bytes a UTF-16 unit.
  if (text.length * 3 <= bytesMax) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.subarray(0, end).toString()}\n[${bytes.length - end} more bytes were cut]`;
}
