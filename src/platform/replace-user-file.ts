import { closeSync, openSync } from "node:fs";
import { writeFully } from "./write-fully.ts";

/**
 * Writes a file that the user named, with the mode their umask gives, through links as every other program does.
 * Throws the system's error.
 */
export function replaceUserFile(path: string, text: string): void {
  const fd = openSync(path, "w", 0o666);
  try {
    writeFully(fd, Buffer.from(text));
  } finally {
    closeSync(fd);
  }
}
