import { AppError } from "../../core/errors.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { readStdin } from "../../platform/stdin.ts";
import { hostDetachedRun } from "../../runtime/host-detached-run.ts";
import type { RunRequest } from "../../runtime/run-request.ts";
import { defineCliCommand } from "../command.ts";
import { PROMPT_BYTES_MAX } from "../run/read-prompt.ts";

/** The other side of `agent run -d`: reads its request from the launcher on stdin and answers with one line. */
export default defineCliCommand({
  name: "run-process",
  description: "Host a detached run",
  examples: [],
  args: {},
  async run({ io }) {
    // JSON may need six bytes for one of the prompt's.
    const text = await readStdin({ bytesMax: 6 * PROMPT_BYTES_MAX + 1_048_576 });
    const answer = async (line: string) => {
      await io.stdout.write(line);
      await io.stdout.end();
    };
    const log = (line: string) => void io.stderr.write(`agent: ${visibleText(line)}\n`);
    return await hostDetachedRun({ request: parseRequest(text), env: io.env, answer, log });
  },
});

function parseRequest(text: string | undefined): RunRequest {
  try {
    const request: unknown = JSON.parse(text ?? "");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other side is this executable
    if (typeof request === "object" && request !== null && "work" in request) return request as RunRequest;
  } catch {
    // Answered below like every other request that is none.
  }
  throw new AppError("usage", '"agent run-process" is what "agent run -d" starts; it is not for use by hand');
}
