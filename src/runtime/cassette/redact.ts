import { isRecord } from "../../lib/is-record.ts";

/** Takes secrets out of what is kept. */
export interface Redactor {
  text(text: string): string;
  /** Every string of a JSON value, member names included. */
  value<Value>(value: Value): Value;
  /** A text that came in pieces: a secret is found across their borders, and its mark stands where it began. */
  pieces(pieces: readonly string[]): string[];
}

/** A shorter value cannot be told from ordinary text. */
export const SECRET_CHARS_MIN = 6;
const CREDENTIALS = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];
/** The variable that names more variables whose values are secrets, separated by commas. */
const NAMES_VARIABLE = "AGENT_REDACT_ENV";

const SHAPES: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: "anthropic-key", pattern: /\bsk-ant-[A-Za-z0-9_-]{16,}/g },
  { name: "github-token", pattern: /\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}/g },
  { name: "gitlab-token", pattern: /\bglpat-[A-Za-z0-9_-]{20,}/g },
  { name: "slack-token", pattern: /\bxox[abprs]-[A-Za-z0-9-]{16,}/g },
  { name: "aws-key", pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  // What has no end is cut off, and still a key.
  { name: "private-key", pattern: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----(?:[\s\S]*?-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----|[A-Za-z0-9+/=\s\\]*)/g },
];

/**
 * Finds secrets by the values of the credentials' variables and of those that AGENT_REDACT_ENV names, and by well-known
 * shapes. Each becomes `[redacted:NAME]`; what was redacted already stays as it is.
 */
export function createRedactor(env: Readonly<Record<string, string | undefined>>): Redactor {
  const secrets = secretsOf(env);

  function find(text: string): Found[] {
    const found = [...secrets.flatMap(({ name, value }) => occurrences(text, value).map((start) => ({ name, start, end: start + value.length }))), ...SHAPES.flatMap(({ name, pattern }) => [...text.matchAll(pattern)].map(({ index, 0: match }) => ({ name, start: index, end: index + match.length })))];
    return withoutOverlaps(found);
  }

  function redactText(text: string): string {
    return redactPieces([text])[0] ?? "";
  }

  function redactPieces(pieces: readonly string[]): string[] {
    const found = find(pieces.join(""));
    if (found.length === 0) return [...pieces];
    let start = 0;
    return pieces.map((piece) => {
      const redacted = cutOut(piece, start, found);
      start += piece.length;
      return redacted;
    });
  }

  function redactValue(value: unknown): unknown {
    if (typeof value === "string") return redactText(value);
    if (Array.isArray(value)) return value.map(redactValue);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [redactText(name), redactValue(member)]));
  }

  return {
    text: redactText,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- strings become strings, and everything else stays
    value: (value) => redactValue(value) as typeof value,
    pieces: redactPieces,
  };
}

interface Found {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

function secretsOf(env: Readonly<Record<string, string | undefined>>): { readonly name: string; readonly value: string }[] {
  const names = [...CREDENTIALS, ...(env[NAMES_VARIABLE] ?? "").split(",").map((name) => name.trim())];
  return names.flatMap((name) => {
    const value = env[name]?.trim() ?? "";
    if (value.length < SECRET_CHARS_MIN) return [];
    // The input of a call arrives as JSON.
    return [...new Set([value, JSON.stringify(value).slice(1, -1)])].map((form) => ({ name, value: form }));
  });
}

function occurrences(text: string, value: string): number[] {
  const found: number[] = [];
  for (let index = text.indexOf(value); index !== -1; index = text.indexOf(value, index + value.length)) found.push(index);
  return found;
}

/** Of two that overlap, the one that begins first takes the other in: no part of either stays. */
function withoutOverlaps(found: readonly Found[]): Found[] {
  const merged: Found[] = [];
  for (const next of found.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = merged.at(-1);
    if (last === undefined || next.start >= last.end) merged.push(next);
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, next.end) };
  }
  return merged;
}

/** A piece of a text without the secrets of the whole. */
function cutOut(piece: string, pieceStart: number, found: readonly Found[]): string {
  const pieceEnd = pieceStart + piece.length;
  let kept = "";
  let at = pieceStart;
  for (const { name, start, end } of found) {
    if (end <= pieceStart || start >= pieceEnd) continue;
    if (start > at) kept += piece.slice(at - pieceStart, start - pieceStart);
    if (start >= pieceStart) kept += `[redacted:${name}]`;
    at = Math.min(end, pieceEnd);
  }
  return kept + piece.slice(at - pieceStart);
}
