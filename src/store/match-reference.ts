import type { Database } from "bun:sqlite";

/** Shorter prefixes would soon mean another task. */
const PREFIX_LENGTH_MIN = 4;
const REFERENCE_LENGTH_MAX = 256;
/** More than one is an error for people, who are shown so many. */
export const CANDIDATES_MAX = 20;
/** Behind everything that begins with `?1`. A range instead of LIKE: it uses the index, and no character has a meaning. */
export const AFTER_PREFIX = "?1 || char(0x10ffff)";

/** How a user's text is looked up: queries with the text as `?1`. */
export interface ReferenceQueries {
  /** For the whole text; the first that finds something decides. */
  readonly exact: readonly string[];
  /** For a text that is only the beginning of an id. */
  readonly prefix: string;
}

/** The rows that a user's text means. */
export function matchReference<Row>(database: Database, text: string, { exact, prefix }: ReferenceQueries): Row[] {
  if (text === "" || text.length > REFERENCE_LENGTH_MAX) return [];
  const select = (sql: string) => database.query<Row, [string]>(sql).all(text);
  for (const sql of exact) {
    const rows = select(sql);
    if (rows.length > 0) return rows;
  }
  return text.length < PREFIX_LENGTH_MIN ? [] : select(prefix);
}
