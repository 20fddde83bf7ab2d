import { randomBytes } from "node:crypto";
import { isTaskId, TASK_ID_ALPHABET, TASK_ID_PREFIXES, TASK_ID_RANDOM_LENGTH, type TaskId, type TaskType } from "../core/task.ts";

/** The multiple of the alphabet's length below 256: larger bytes would favor the first letters. */
const UNBIASED_BYTES = 256 - (256 % TASK_ID_ALPHABET.length);
/** One draw is enough in all but one of about ten million cases. */
const DRAW_BYTES = 16;

/**
 * A new id: the letter of the type and eight characters, each equally likely. Ids do collide (one pair among a million,
 * with a chance of 16 %), so whoever creates something under an id takes a new one where it is taken.
 *
 * @param random for tests
 */
export function generateTaskId(type: TaskType, random: (length: number) => Uint8Array = randomBytes): TaskId {
  let id = TASK_ID_PREFIXES[type];
  while (id.length < 1 + TASK_ID_RANDOM_LENGTH) {
    for (const byte of random(DRAW_BYTES)) {
      if (byte < UNBIASED_BYTES && id.length < 1 + TASK_ID_RANDOM_LENGTH) id += TASK_ID_ALPHABET[byte % TASK_ID_ALPHABET.length];
    }
  }
  if (!isTaskId(id)) throw new Error(`Generated "${id}", which is no task id`);
  return id;
}
