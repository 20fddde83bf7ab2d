import { taskId } from "./sample-task.ts";

/** Few enough that both sides of a race meet. */
export const RACED_IDS = Array.from({ length: 64 }, (_, index) => taskId(`b${String(index).padStart(8, "0")}`));
