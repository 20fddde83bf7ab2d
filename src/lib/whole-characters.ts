/**
 * How many of the first `length` bytes form whole characters of UTF-8: at most three less, where the last character is
 * incomplete. Bytes that are no UTF-8 count as whole.
 */
export function wholeCharactersLength(bytes: Uint8Array, length = bytes.length): number {
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return sequenceLength(byte) > back ? length - back : length;
  }
  return length;
}

function sequenceLength(leadByte: number): number {
  if (leadByte >= 0xf0 && leadByte <= 0xf4) return 4;
  if (leadByte >= 0xe0) return leadByte < 0xf0 ? 3 : 1;
  return leadByte >= 0xc2 ? 2 : 1;
}
