/** The characters of `$'…'`; undefined where an escape is none of the usual ones, or the parser missed the end. */
export function decodeAnsiString(raw: string): string | undefined {
  if (!/^(?:\\[\s\S]|[^\\'])*$/.test(raw)) return undefined;
  if (/\\(?![ntr\\'"]|x[0-7][0-9A-Fa-f](?![0-9A-Fa-f]))/.test(raw)) return undefined;
  return raw.replace(/\\(?:x([0-9A-Fa-f]{2})|([\s\S]))/g, (_, hex: string | undefined, escaped: string) =>
    hex === undefined ? (CONTROLS[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const CONTROLS: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
