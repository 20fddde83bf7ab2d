import { BUILD_INFO } from "../../core/build-info.ts";
import { EXIT_CODES } from "../../core/exit-code.ts";
import { defineCliCommand } from "../command.ts";

export default defineCliCommand({
  name: "version",
  description: "Show the version of this build",
  examples: ["agent version", "agent version --json"],
  args: { json: { type: "boolean", description: "Print an object: version, commit, bun, target, flags" } },
  async run({ values, io }) {
    const { version, commit, target, flags } = BUILD_INFO;
    const text = values.json === true ? JSON.stringify({ v: 1, version, commit, bun: Bun.version, target, flags }) : `agent ${version}`;
    await io.stdout.write(`${text}\n`);
    return EXIT_CODES.ok;
  },
});
