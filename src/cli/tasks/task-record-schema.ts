import { z } from "zod";
import { taskStateBaseSchema } from "../../core/task-schema.ts";
import { TASK_TYPES, type TaskType } from "../../core/task.ts";

/** A kind of task and what its records hold beside the fields of every task. */
export interface DescribedKind {
  readonly type: TaskType;
  readonly detailSchema: () => z.ZodType;
}

/**
 * A record as `inspect` prints it, told apart by its type. Nothing is known of the detail of kinds that are not given:
 * another build may have written it. Fields may be added at any time.
 */
export function taskRecordSchema(kinds: readonly DescribedKind[]): z.ZodType {
  const [first, ...rest] = TASK_TYPES.map((type) => {
    const detail = kinds.find((kind) => kind.type === type)?.detailSchema() ?? z.record(z.string(), z.unknown());
    return z.looseObject({ ...printedFields(), type: z.literal(type), detail });
  });
  return first === undefined ? z.never() : z.discriminatedUnion("type", [first, ...rest]);
}

/** What a record lacks is printed as null. */
function printedFields(): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(taskStateBaseSchema().shape).map(([name, field]) => [name, field instanceof z.ZodOptional ? field.unwrap().nullable() : field]),
  );
}
