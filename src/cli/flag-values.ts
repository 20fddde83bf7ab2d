import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { AppError } from "../core/errors.ts";
import { readThinking, THINKING_EFFORTS, THINKING_TOKENS_MIN, type Thinking } from "../core/thinking.ts";
import { parseByteSize } from "../lib/byte-size.ts";
import { parseDurationMs, TIMER_MS_MAX } from "../lib/duration.ts";

/** A whole number of at least 1. `name` is what the user wrote it for: a flag or a variable. */
export function countFlag(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new AppError("usage", `Cannot use "${text}" for ${name}: it takes a whole number from 1 up`);
}

/** US dollars, more than none. */
export function dollarsFlag(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const dollars = /^\d{1,9}(\.\d{1,9})?$|^\.\d{1,9}$/.test(text) ? Number(text) : 0;
  if (dollars > 0) return dollars;
  throw new AppError("usage", `Cannot use "${text}" for ${name}: it takes an amount of US dollars such as 2 or 0.50`);
}

/** Milliseconds, more than none. */
export function durationFlag(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = parseDurationMs(text);
  if (milliseconds !== undefined && milliseconds > 0 && milliseconds <= TIMER_MS_MAX) return milliseconds;
  throw new AppError("usage", `Cannot use "${text}" for ${name}: it takes a time such as 90 (seconds), 500ms, 10m or 2h, at most 24d`);
}

/** Bytes, more than none. */
export function byteSizeFlag(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const bytes = parseByteSize(text);
  if (bytes !== undefined && bytes > 0) return bytes;
  throw new AppError("usage", `Cannot use "${text}" for ${name}: it takes a size such as 500kB or 64MiB`);
}

/** "inherit" is as the model does by itself. */
export function thinkingFlag(name: string, text: string | undefined): Thinking | "inherit" | undefined {
  if (text === undefined || text === "inherit") return text;
  const thinking = readThinking(/^[1-9]\d{0,8}$/.test(text) ? Number(text) : text);
  if (thinking !== undefined) return thinking;
  throw new AppError("usage", `Cannot use "${text}" for ${name}: it takes off, ${THINKING_EFFORTS.join(", ")}, inherit, or a number of tokens from ${THINKING_TOKENS_MIN} up`);
}

/** The real path of a directory that exists. */
export function directoryFlag(name: string, path: string): string {
  try {
    const real = realpathSync(resolve(path));
    if (statSync(real).isDirectory()) return real;
  } catch {
    throw new AppError("usage", `Cannot use "${path}" for ${name}: there is no such directory`);
  }
  throw new AppError("usage", `Cannot use "${path}" for ${name}: it is not a directory`);
}

/** A name that somebody types: names share one space with ids. */
export function nameFlag(flag: string, text: string | undefined): string | undefined {
  if (text === undefined || /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)) return text;
  throw new AppError("usage", `Cannot use "${text}" for ${flag}: up to 64 letters, digits, ".", "_" and "-", the first a letter or digit`);
}
