/** A text with data before it, as many programs keep their definitions. */
export interface FrontMatter {
  /** The values by their keys, as YAML has them. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Keys whose values are no YAML and are taken for the text that stands there. */
  readonly plainKeys: readonly string[];
  /** The line in which a key stands, from 1; the first line of the text for a key that is not there. */
  lineOf(key: string): number;
  /** What comes after, its line ends as LF. */
  readonly body: string;
  /** The line in which that begins. */
  readonly bodyLine: number;
}

/** Counts from 1. */
export class FrontMatterError extends Error {
  override readonly name = "FrontMatterError";
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

interface Entry {
  readonly key: string;
  readonly line: number;
  /** All of its lines. */
  readonly text: string;
}

const FIELDS_MAX = 200;
const NODES_MAX = 5_000;
const DEPTH_MAX = 16;

/**
 * Reads the YAML between two lines of `---` at the beginning of a text. People write sentences with colons in it, which
 * no YAML is: such a value counts as its text.
 *
 * Throws a `FrontMatterError` where there is none, a key stands twice, or there is too much: of fields, or of values within
 * one, those that an alias repeats included.
 */
export function parseFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  if (lines[0]?.trimEnd() !== "---") throw new FrontMatterError('the file must begin with a line of "---" and the fields', 1);
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (end === -1) throw new FrontMatterError('a second line of "---" must end the fields', 1);
  const entries = entriesOf(lines.slice(1, end));
  const whole = valuesOf(lines.slice(1, end).join("\n"), entries);
  const plainKeys: string[] = [];
  const values = whole ?? new Map(entries.map((entry) => [entry.key, valueOf(entry, plainKeys)]));
  for (const [key, value] of values) refuseLarge(value, lineOf(entries, key));
  return { values, plainKeys, lineOf: (key) => lineOf(entries, key), body: lines.slice(end + 1).join("\n"), bodyLine: end + 2 };
}

/** Every key at the start of a line, with the lines that belong to it. */
function entriesOf(lines: readonly string[]): Entry[] {
  const entries: { key: string; line: number; text: string }[] = [];
  for (const [index, text] of lines.entries()) {
    const line = index + 2;
    const key = /^(?:"([^"]+)"|'([^']+)'|([\p{L}_][^\s:#]*))[ \t]*:(?=[ \t]|$)/u.exec(text);
    const name = key?.[1] ?? key?.[2] ?? key?.[3];
    const last = entries.at(-1);
    if (name !== undefined) {
      if (entries.some((entry) => entry.key === name)) throw new FrontMatterError(`"${name}" stands there twice`, line);
      if (entries.length === FIELDS_MAX) throw new FrontMatterError(`there are more than ${FIELDS_MAX} fields`, line);
      entries.push({ key: name, line, text });
    } else if (last !== undefined) last.text += `\n${text}`;
    else if (text.trim() !== "" && !text.startsWith("#")) throw new FrontMatterError(`"${text.slice(0, 40)}" is no field: a line is "key: value"`, line);
  }
  return entries;
}

/** Undefined where the whole is no YAML, or not what its lines look like. */
function valuesOf(text: string, entries: readonly Entry[]): Map<string, unknown> | undefined {
  const value = parseYaml(text);
  if (value === undefined) return undefined;
  const values = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  const isAsSeen = values.length === entries.length && values.every(([key]) => entries.some((entry) => entry.key === key));
  return isAsSeen ? new Map(values) : undefined;
}

function valueOf({ key, text }: Entry, plainKeys: string[]): unknown {
  const value = parseYaml(text);
  if (typeof value === "object" && value !== null && Object.keys(value).length === 1 && Object.hasOwn(value, key)) {
    return Object.values(value)[0];
  }
  plainKeys.push(key);
  return text.slice(text.indexOf(":", key.length) + 1).split("\n").map((line) => line.trim()).join(" ").trim();
}

/** Undefined where it is no YAML. The parser itself refuses what nests too deep or repeats aliases without end. */
function parseYaml(text: string): unknown {
  try {
    return Bun.YAML.parse(text);
  } catch {
    return undefined;
  }
}

/** Counts what an alias repeats as often as it stands there, so that a value can be written out later. */
function refuseLarge(value: unknown, line: number): void {
  let nodes = 0;
  const visit = (node: unknown, depth: number): void => {
    nodes++;
    if (nodes > NODES_MAX || depth > DEPTH_MAX) throw new FrontMatterError("this value is too large", line);
    if (typeof node === "object" && node !== null) for (const each of Object.values(node)) visit(each, depth + 1);
  };
  visit(value, 0);
}

function lineOf(entries: readonly Entry[], key: string): number {
  return entries.find((entry) => entry.key === key)?.line ?? 1;
}
