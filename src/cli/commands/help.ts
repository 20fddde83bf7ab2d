import { EXIT_CODES } from "../../core/exit-code.ts";
import { defineCliCommand } from "../command.ts";

export default defineCliCommand({
  name: "help",
  description: "Show help for a command",
  examples: ["agent help", "agent help run"],
  args: { command: { type: "positional", description: "A command; all of them are listed without one" } },
  async run({ values, io, program }) {
    await io.stdout.write(await program.helpOf(values.command));
    return EXIT_CODES.ok;
  },
});
