import { EXIT_CODES } from "../../core/exit-code.ts";
import { defineCliCommand } from "../command.ts";
import { createEventFilter } from "../tasks/event-filter.ts";
import { followEvents } from "../tasks/follow-events.ts";
import { offsetFlag } from "../tasks/offset-flag.ts";
import { noRun, resolveRun } from "../tasks/resolve-run.ts";
import { withTaskStore } from "../tasks/with-task-store.ts";

export default defineCliCommand({
  name: "events",
  description: "Show the events of a run as lines of JSON",
  examples: ["agent events ID", "agent events -f ID", "agent events --since 120 -f ID", "agent events --types tool.started,run.result"],
  args: {
    task: { type: "positional", description: "A task, whose latest run is meant, or a run; without it the latest run" },
    follow: { type: "boolean", alias: "f", description: "Go on until the run has ended" },
    since: { type: "string", valueHint: "seq", description: "Only events with a higher number" },
    types: { type: "string", valueHint: "a,b", description: "Only events of these types" },
  },
  async run({ values, io }) {
    const isWanted = createEventFilter({ since: offsetFlag("--since", values.since), types: values.types });
    return await withTaskStore(io, async (store) => {
      if (store === undefined) throw noRun();
      const run = resolveRun(values.task, store.ledger);
      for await (const lines of followEvents({ run, store, isFollowing: values.follow === true, isStopped: () => io.stdout.isClosed })) {
        await io.stdout.writeBytes(Buffer.concat(lines.filter(isWanted)));
      }
      return io.stdout.isClosed ? EXIT_CODES.epipe : EXIT_CODES.ok;
    });
  },
});
