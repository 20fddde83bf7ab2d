import type { TaskState } from "../../core/task-state.ts";
import { createColoredTerminalText } from "../../lib/colored-terminal-text.ts";
import { visibleText } from "../../lib/visible-text.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import type { CliIo } from "../command.ts";
import { finalMessage, FINAL_OUTPUT_BYTES_MAX } from "./final-message.ts";

/** Prints what a task came to, as its own run would have: its last words on stdout, what went wrong on stderr. */
export async function printFinalMessage(task: TaskState, store: TaskStore, io: CliIo): Promise<void> {
  const { bytes, omittedBytes } = finalMessage(task, store);
  if (omittedBytes > 0) await io.stderr.write(`agent: Showing the last ${FINAL_OUTPUT_BYTES_MAX} bytes; "agent logs ${task.id}" shows all\n`);
  if (io.isStdoutTty) await io.stdout.write(coloredText(bytes));
  else await io.stdout.writeBytes(bytes);
  if (bytes.length > 0 && bytes.at(-1) !== LINE_FEED) await io.stdout.write("\n");
  if (task.error !== undefined) await io.stderr.write(`agent: Task "${task.id}" ${task.status}: ${visibleText(task.error)}\n`);
}

const LINE_FEED = 0x0a;

function coloredText(bytes: Uint8Array): string {
  const terminal = createColoredTerminalText();
  return terminal.push(Buffer.from(bytes).toString()) + terminal.end();
}
