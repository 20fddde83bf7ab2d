import { isUtf8 } from "node:buffer";

/**
 * How the text of a file stands on disk. The UTF-16 forms always carry a byte-order mark. `latin1` stands for every
 * 8-bit encoding that is not UTF-8: a byte is a character, so that whatever the bytes mean, they come back unchanged.
 */
export type TextEncoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "latin1";

/**
 * The text of a file without its byte-order mark, and what `encodeText` needs to write it back byte for byte.
 * Undefined where the bytes are no text.
 */
export function decodeText(bytes: Uint8Array): { readonly text: string; readonly encoding: TextEncoding } | undefined {
  const encoding = detectEncoding(bytes);
  const body = bufferOver(bytes.subarray(BYTE_ORDER_MARKS[encoding].length));
  if (encoding.startsWith("utf-16") && body.length % 2 !== 0) return undefined;
  const text = decodeBody(body, encoding);
  return isText(text, encoding) ? { text, encoding } : undefined;
}

/** The bytes of text in an encoding, its byte-order mark included. Undefined where a character does not exist in it. */
export function encodeText(text: string, encoding: TextEncoding): Uint8Array | undefined {
  if (encoding === "latin1" && BEYOND_LATIN1.test(text)) return undefined;
  return Buffer.concat([BYTE_ORDER_MARKS[encoding], encodeBody(text.toWellFormed(), encoding)]);
}

const BYTE_ORDER_MARKS: Readonly<Record<TextEncoding, Uint8Array>> = {
  "utf-8": Uint8Array.of(),
  "utf-8-bom": Uint8Array.of(0xef, 0xbb, 0xbf),
  "utf-16le": Uint8Array.of(0xff, 0xfe),
  "utf-16be": Uint8Array.of(0xfe, 0xff),
  latin1: Uint8Array.of(),
};

function detectEncoding(bytes: Uint8Array): TextEncoding {
  for (const encoding of ["utf-8-bom", "utf-16le", "utf-16be"] as const) {
    const isMarked = BYTE_ORDER_MARKS[encoding].every((byte, index) => bytes[index] === byte);
    if (isMarked && (encoding !== "utf-8-bom" || isUtf8(bytes))) return encoding;
  }
  return isUtf8(bytes) ? "utf-8" : "latin1";
}

function decodeBody(body: Buffer, encoding: TextEncoding): string {
  if (encoding === "utf-16le") return body.toString("utf16le");
  // A copy: swapping works in place, and the bytes belong to the caller.
  if (encoding === "utf-16be") return Buffer.from(body).swap16().toString("utf16le");
  return body.toString(encoding === "latin1" ? "latin1" : "utf8");
}

function encodeBody(text: string, encoding: TextEncoding): Uint8Array {
  if (encoding === "utf-16le") return Buffer.from(text, "utf16le");
  if (encoding === "utf-16be") return Buffer.from(text, "utf16le").swap16();
  return Buffer.from(text, encoding === "latin1" ? "latin1" : "utf8");
}

const BEYOND_LATIN1 = /[^\u0000-\u00ff]/; // oxlint-disable-line no-control-regex -- a range of all bytes

/** Control characters that no text has; escape, form feed and backspace do occur in logs and sources. */
const BINARY_CONTROL = /[\u0000-\u0007\u000b\u000e-\u001a\u001c-\u001f]/; // oxlint-disable-line no-control-regex -- what it looks for

/** Valid UTF-8 is text unless it holds a NUL; bytes that merely might be some 8-bit encoding are looked at more closely. */
function isText(text: string, encoding: TextEncoding): boolean {
  return encoding === "latin1" ? !BINARY_CONTROL.test(text) : !text.includes("\0") && text.isWellFormed();
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
