import { AppError } from "../../core/errors.ts";
import { EXIT_CODES } from "../../core/exit-code.ts";
import { formatByteSize } from "../../lib/byte-size.ts";
import { parseDurationMs } from "../../lib/duration.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { wallClock } from "../../platform/wall-clock.ts";
import { collectGarbage } from "../../runtime/gc/collect-garbage.ts";
import type { GcReport } from "../../runtime/gc/gc-report.ts";
import { defineCliCommand } from "../command.ts";
import { byteSizeFlag } from "../flag-values.ts";
import { withTaskStore } from "../tasks/with-task-store.ts";

const OLDER_MS = 30 * 86_400_000;

export default defineCliCommand({
  name: "gc",
  description: "Remove what ended long ago and what nobody needs any more",
  examples: ["agent gc --dry-run", "agent gc --older 7d", "agent gc --max-size 500MiB"],
  args: {
    older: { type: "string", valueHint: "duration", description: "Remove tasks that ended this long ago or earlier", defaultHint: "30d" },
    "max-size": { type: "string", valueHint: "size", description: "Also remove the oldest ended tasks until the state folder has no more than this" },
    "dry-run": { type: "boolean", description: "Only say what would go" },
    json: { type: "boolean", description: "Print an object: dry_run, tasks, sessions, files, bytes, kept" },
  },
  async run({ values, io }) {
    const options = {
      olderMs: ageFlag(values.older) ?? OLDER_MS,
      bytesMax: byteSizeFlag("--max-size", values["max-size"]),
      isDryRun: values["dry-run"] === true,
      now: wallClock(),
      env: io.env,
    };
    const report = await withTaskStore(io, async (store) => (store === undefined ? NOTHING : await collectGarbage(store, options)));
    await io.stdout.write(values.json === true ? `${json(report, options)}\n` : `${summary(report, options)}\n`);
    for (const problem of report.problems) await io.stderr.write(`agent: ${visibleText(problem)}\n`);
    return EXIT_CODES.ok;
  },
});

const NOTHING: GcReport = { tasks: [], sessions: [], files: [], bytes: 0, problems: [] };

/** Milliseconds; none at all is an age as well. */
function ageFlag(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = parseDurationMs(text);
  if (milliseconds !== undefined) return milliseconds;
  throw new AppError("usage", `Cannot use "${text}" for --older: it takes a time such as 12h or 30d`);
}

function json({ tasks, sessions, files, bytes, problems }: GcReport, { isDryRun }: { readonly isDryRun: boolean }): string {
  return JSON.stringify({ v: 1, dry_run: isDryRun, tasks, sessions, files, bytes, kept: problems });
}

function summary({ tasks, sessions, files, bytes }: GcReport, { isDryRun }: { readonly isDryRun: boolean }): string {
  const counts = [counted(tasks.length, "task"), counted(sessions.length, "session"), counted(files.length, "other file")].filter((count) => count !== "");
  if (counts.length === 0) return isDryRun ? "Nothing would be removed" : "Nothing was removed";
  return `${isDryRun ? "Would remove" : "Removed"} ${counts.join(", ")}: ${formatByteSize(bytes)}`;
}

function counted(count: number, noun: string): string {
  return count === 0 ? "" : `${count} ${noun}${count === 1 ? "" : "s"}`;
}
