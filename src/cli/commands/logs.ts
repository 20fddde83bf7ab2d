import { AppError } from "../../core/errors.ts";
import { EXIT_CODES } from "../../core/exit-code.ts";
import { defineCliCommand } from "../command.ts";
import { followOutput } from "../tasks/follow-output.ts";
import { logPrinter } from "../tasks/log-printer.ts";
import { logStart } from "../tasks/log-start.ts";
import { offsetFlag } from "../tasks/offset-flag.ts";
import { openLog } from "../tasks/open-log.ts";
import { withTasks } from "../tasks/with-tasks.ts";

export default defineCliCommand({
  name: "logs",
  description: "Show the output of a task",
  examples: ["agent logs ID", "agent logs -f ID", "agent logs --tail 20 ID", "agent logs --json ID"],
  args: {
    task: { type: "positional", description: "Id, beginning of an id, or name" },
    follow: { type: "boolean", alias: "f", description: "Go on until the task ends" },
    offset: { type: "string", valueHint: "n", description: "Begin at this byte of the output" },
    tail: { type: "string", valueHint: "n", description: "Begin with the last lines; of an agent, the last messages" },
    json: { type: "boolean", description: "Lines of JSON: of an agent its transcript, otherwise offset, next_offset, data and lost_bytes" },
    "show-offset": { type: "boolean", description: "Say on stderr where the next call would go on" },
  },
  async run({ values, io }) {
    const from = { offset: offsetFlag("--offset", values.offset), tail: offsetFlag("--tail", values.tail) };
    if (from.offset !== undefined && from.tail !== undefined) throw new AppError("usage", "Cannot use --offset together with --tail: give one of them");
    const isFollowing = values.follow === true;

    return await withTasks(io, values.task === undefined ? [] : [values.task], async (store, [id]) => {
      const log = await openLog(id, store, { isFollowing });
      if (log === undefined) return EXIT_CODES.ok;
      try {
        const start = await logStart(log, from);
        const pieces = followOutput({ ...log, offset: start, isFollowing, isStopped: () => io.stdout.isClosed });
        const end = await logPrinter({ isTranscript: log.isTranscript, isJson: values.json === true })(pieces, io);
        if (values["show-offset"] === true) await io.stderr.write(`next offset: ${end ?? start}\n`);
        return io.stdout.isClosed ? EXIT_CODES.epipe : EXIT_CODES.ok;
      } finally {
        log.close();
      }
    });
  },
});
