import { z } from "zod";
import { AppError, errorMessage } from "../../core/errors.ts";
import { PERMISSION_MODES } from "../../core/permission.ts";
import { lazySchema } from "../../core/schema.ts";
import { JsoncError, parseJsonc } from "../../lib/jsonc.ts";
import { readTextFile } from "../../platform/read-text-file.ts";

const FILE_BYTES_MAX = 4_194_304;

const policyCasesSchema = lazySchema("policyCases", () =>
  z.array(
    z.strictObject({
      call: z.string().min(1),
      expect: z.enum(["allow", "ask", "deny"]),
      mode: z.enum(PERMISSION_MODES).optional(),
    }),
  ),
);

export type PolicyCase = z.infer<ReturnType<typeof policyCasesSchema>>[number];

/**
 * The cases by which a policy is tested: an array of objects with `call`, `expect` and maybe `mode`, as JSON with
 * comments. Throws an `AppError` of reason `usage` where the file is not that.
 */
export function readPolicyCases(file: string): readonly PolicyCase[] {
  const invalid = (problem: string, cause?: unknown) => new AppError("usage", `Cannot use the cases in "${file}": ${problem}`, { code: "invalid_cases", cause });
  const { success, data, error } = policyCasesSchema().safeParse(parsed(readPolicyFile(file), invalid));
  if (!success) {
    const [issue] = error.issues;
    const [index, key] = issue?.path ?? [];
    throw invalid(`${typeof index === "number" ? `case ${index + 1}${key === undefined ? "" : `, "${String(key)}"`}: ` : ""}${issue?.message ?? "it is no list of cases"}`);
  }
  if (data.length === 0) throw invalid("it holds no case");
  return data;
}

function parsed(text: string, invalid: (problem: string, cause?: unknown) => AppError): unknown {
  try {
    return parseJsonc(text).value;
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    throw invalid(`line ${error.position.line}: ${error.message}`, error);
  }
}

/** The text of a file that the user named. Throws an `AppError` of reason `usage` where there is none. */
export function readPolicyFile(file: string): string {
  try {
    const read = readTextFile(file, { bytesMax: FILE_BYTES_MAX, followLinks: true });
    if (read === undefined || read.isCut) throw new AppError("usage", `Cannot read "${file}": it is ${read === undefined ? "not a regular file" : "larger than 4 MiB"}`);
    return read.text;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("usage", `Cannot read "${file}": ${errorMessage(error)}`, { cause: error });
  }
}
