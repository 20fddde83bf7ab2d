import type { AppError } from "../core/errors.ts";
import type { TaskOutputWriter } from "../core/task-output.ts";

/** Stands in for an output that has no place on disk: counts what is lost and keeps nothing. */
export function createLostOutput(failure: AppError): TaskOutputWriter {
  let bytesDropped = 0;
  return {
    write(bytes) {
      bytesDropped += bytes.length;
    },
    bytesWritten: 0,
    get bytesDropped() {
      return bytesDropped;
    },
    failure,
    close: () => undefined,
  };
}
