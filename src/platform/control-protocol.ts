import { AppError, errorMessage } from "../core/errors.ts";
import { EXIT_CODES, type ExitReason } from "../core/exit-code.ts";
import { isRecord } from "../lib/is-record.ts";

/** What a request and an answer may take as one line, line feed included. */
export const CONTROL_LINE_BYTES_MAX = 1_048_576;
const CONTROL_VERSION = 1;

/** What is asked of a run: an operation and its fields. */
export interface ControlRequest {
  readonly op: string;
  readonly [field: string]: unknown;
}

/** A request as it travels. */
export interface ReceivedRequest {
  readonly request: ControlRequest;
  /** Milliseconds since the epoch. Afterwards nobody waits for the answer, so nothing must be done any more. */
  readonly deadline: number;
}

/** Throws an `AppError` of reason `usage` when the line is longer than may be sent. */
export function encodeRequest({ request, deadline }: ReceivedRequest): string {
  const line = `${JSON.stringify({ ...request, v: CONTROL_VERSION, deadline })}\n`;
  if (Buffer.byteLength(line) <= CONTROL_LINE_BYTES_MAX) return line;
  throw new AppError("usage", `Cannot send request "${request.op}": it is longer than ${CONTROL_LINE_BYTES_MAX} bytes`, { code: "too_long" });
}

/** Throws an `AppError` of reason `usage` for what is no request. */
export function decodeRequest(line: string): ReceivedRequest {
  const fields = parseObject(line);
  if (fields === undefined) throw malformed("it is not a JSON object");
  const { v, op, deadline } = fields;
  if (v !== CONTROL_VERSION) throw malformed(`its version is ${JSON.stringify(v)}, and this program speaks ${CONTROL_VERSION}`);
  if (typeof op !== "string" || op === "") throw malformed('"op" is not a name');
  if (typeof deadline !== "number") throw malformed('"deadline" is not a number');
  return { request: { ...fields, op }, deadline };
}

export function encodeResult(result: unknown): string {
  const line = `${JSON.stringify({ ok: true, result })}\n`;
  if (Buffer.byteLength(line) <= CONTROL_LINE_BYTES_MAX) return line;
  return encodeFailure(new AppError("internal", `Cannot answer: the answer is longer than ${CONTROL_LINE_BYTES_MAX} bytes`, { code: "too_long" }));
}

export function encodeFailure(error: unknown): string {
  const { reason, code } = error instanceof AppError ? error : { reason: "internal", code: "internal" };
  return `${JSON.stringify({ ok: false, error: { reason, code, message: errorMessage(error) } })}\n`;
}

/** The result in an answer. Throws the `AppError` that it carries instead. */
export function decodeAnswer(line: string): unknown {
  const answer = parseObject(line);
  if (answer?.["ok"] === true) return answer["result"];
  const failure = answer?.["error"];
  if (answer?.["ok"] !== false || !isRecord(failure)) {
    throw new AppError("internal", "Cannot understand the answer of the run: it is not one of this protocol", { code: "malformed_answer" });
  }
  const { reason, code, message } = failure;
  throw new AppError(isReason(reason) ? reason : "internal", String(message), { code: String(code) });
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isReason(value: unknown): value is ExitReason {
  return typeof value === "string" && Object.hasOwn(EXIT_CODES, value);
}

function malformed(why: string): AppError {
  return new AppError("usage", `Cannot understand the request: ${why}`, { code: "malformed_request" });
}
