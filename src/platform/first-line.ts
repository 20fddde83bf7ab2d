/** Collects the first line of a stream of bytes. */
export interface FirstLine {
  /** The line without its line feed once it is whole; what follows it is dropped. Throws what `tooLong` makes. */
  push(chunk: Uint8Array): string | undefined;
}

/** @param options.bytesMax the length of a line with its line feed */
export function collectFirstLine(options: { readonly bytesMax: number; readonly tooLong: () => Error }): FirstLine {
  const chunks: Uint8Array[] = [];
  let length = 0;
  return {
    push(chunk) {
      const end = chunk.indexOf(0x0a);
      const part = end === -1 ? chunk : chunk.subarray(0, end);
      length += part.length;
      if (length >= options.bytesMax) {
        chunks.length = 0;
        throw options.tooLong();
      }
      // The runtime may use the memory of a chunk again.
      chunks.push(part.slice());
      return end === -1 ? undefined : Buffer.concat(chunks).toString();
    },
  };
}
