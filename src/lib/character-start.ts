/**
 * The first offset from `start` on at which a character of UTF-8 begins: at most three more. Bytes that are no UTF-8
 * begin anywhere.
 */
export function characterStart(bytes: Uint8Array, start: number): number {
  let offset = start;
  while (offset < bytes.length && offset - start < 3 && ((bytes[offset] ?? 0) & 0xc0) === 0x80) offset++;
  return offset;
}
