import { AppError, errorMessage } from "../../core/errors.ts";
import { CASSETTE_VERSION } from "../../core/cassette.ts";
import { cassetteLineSchema } from "../../core/cassette-schema.ts";
import { isRecord } from "../../lib/is-record.ts";
import { readTextFile } from "../../platform/read-text-file.ts";
import type { AgentLine, CassetteHeader, CassetteLine, EndLine } from "./cassette-line.ts";

/** A recording. */
export interface ReadCassette {
  readonly header: CassetteHeader;
  readonly lines: readonly AgentLine[];
  /** Undefined where the run that recorded did not come to its end. */
  readonly end: EndLine | undefined;
}

const CASSETTE_BYTES_MAX = 1_073_741_824;

/**
 * Reads a whole cassette. A last line that a crash cut off is left out.
 *
 * Throws an `AppError` of reason `usage` where the file cannot be read, is none, is damaged, or is of a later version.
 */
export function readCassette(path: string): ReadCassette {
  const [first, ...rest] = textOf(path).split("\n").slice(0, -1);
  const header = parseHeader(first, path);
  const lines = rest.map((line, index) => parseLine(line, index + 2, path));
  return {
    header,
    lines: lines.filter((line): line is AgentLine => line.type !== "cassette" && line.type !== "end"),
    end: lines.find((line): line is EndLine => line.type === "end"),
  };
}

function textOf(path: string): string {
  try {
    const file = readTextFile(path, { bytesMax: CASSETTE_BYTES_MAX, followLinks: true });
    if (file?.isCut === true) throw new Error("it is larger than 1 GiB");
    if (file !== undefined) return file.text;
  } catch (error) {
    throw unusable(path, errorMessage(error), error);
  }
  throw unusable(path, "it is no regular file");
}

function parseHeader(line: string | undefined, path: string): CassetteHeader {
  const header = line === undefined ? undefined : jsonOf(line);
  if (!isRecord(header) || header["type"] !== "cassette" || typeof header["v"] !== "number") throw unusable(path, "it is no cassette");
  const { v } = header;
  if (v > CASSETTE_VERSION) throw unusable(path, `it is of version ${v}, and this build reads version ${CASSETTE_VERSION}`);
  const parsed = parseLine(line ?? "", 1, path);
  if (parsed.type !== "cassette") throw unusable(path, "it is no cassette");
  return parsed;
}

function parseLine(line: string, number: number, path: string): CassetteLine {
  const parsed = cassetteLineSchema().safeParse(jsonOf(line));
  if (parsed.success) {
    const { ts: _ts, ...known } = parsed.data;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema says the same, but for what it leaves open
    return known as unknown as CassetteLine;
  }
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  throw unusable(path, `line ${number} is damaged${where}`);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function unusable(path: string, why: string, cause?: unknown): AppError {
  return new AppError("usage", `Cannot replay "${path}": ${why}`, { code: "bad_cassette", cause });
}
