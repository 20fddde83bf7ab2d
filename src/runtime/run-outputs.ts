import type { RunEventBody } from "../core/stream-event.ts";
import type { TaskOutputs } from "../core/task-output.ts";
import type { TaskId } from "../core/task.ts";
import { formatByteSize } from "../lib/byte-size.ts";
import { releaseBallast } from "../store/ballast.ts";
import { isDiskFull } from "../store/disk-full.ts";
import { openTaskOutputs } from "../store/task-output.ts";
import type { RunFiles } from "./open-run-files.ts";
import type { RunRequest } from "./run-request.ts";

/** The outputs of a run's tasks within the limits of the run, which says once when it has reached its own. */
export function openRunOutputs(params: {
  readonly files: Pick<RunFiles, "state">;
  readonly request: Pick<RunRequest, "outputBytesMax" | "runOutputBytesMax">;
  readonly emit: (event: RunEventBody) => void;
  readonly parentOf: (id: TaskId) => TaskId | undefined;
  readonly warn: (text: string) => void;
}): TaskOutputs {
  const { files, request, emit, parentOf, warn } = params;
  const outputs: TaskOutputs = openTaskOutputs(files.state, {
    bytesMax: request.outputBytesMax,
    runBytesMax: request.runOutputBytesMax,
    onRunLimit({ id, bytesKept, bytesLost }) {
      emit({
        task_id: id,
        parent_task_id: parentOf(id) ?? null,
        type: "output.truncated",
        scope: "run",
        output_file: outputs.path(id),
        bytes_kept: bytesKept,
        bytes_dropped: bytesLost,
      });
      warn(`The outputs of this run have reached ${formatByteSize(request.runOutputBytesMax)} together: what its tasks print from now on is not kept; AGENT_RUN_OUTPUT_QUOTA allows more`);
    },
    onFailure(failure) {
      // What fails must still be put on record.
      if (isDiskFull(failure)) releaseBallast(files.state.root);
    },
  });
  return outputs;
}
