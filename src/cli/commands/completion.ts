import { AppError } from "../../core/errors.ts";
import { EXIT_CODES } from "../../core/exit-code.ts";
import { nearestName } from "../../lib/nearest-name.ts";
import { defineCliCommand } from "../command.ts";
import { bashCompletion } from "../completion/bash-completion.ts";
import { completionModel, type CompletedCommand } from "../completion/completion-model.ts";
import { fishCompletion } from "../completion/fish-completion.ts";
import { zshCompletion } from "../completion/zsh-completion.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

export default defineCliCommand({
  name: "completion",
  description: "Print a script that completes commands, flags and task ids in a shell",
  examples: ["agent completion bash > ~/.local/share/bash-completion/completions/agent", "source <(agent completion zsh)", "agent completion fish | source"],
  args: { shell: { type: "positional", options: SHELLS, description: "bash, zsh or fish" } },
  async run({ values, io, program }) {
    const script = SCRIPTS[shellOf(values.shell)];
    await io.stdout.write(script(completionModel(await program.loadCommands())));
    return EXIT_CODES.ok;
  },
});

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

function shellOf(text: string | undefined): Shell {
  const shell = SHELLS.find((known) => known === text);
  if (shell !== undefined) return shell;
  const nearest = text === undefined ? undefined : nearestName(text, SHELLS);
  const problem = text === undefined ? "No shell is named" : `No completion for "${text}"${nearest === undefined ? "" : ` (did you mean "${nearest}"?)`}`;
  throw new AppError("usage", `${problem}: "agent completion" takes ${SHELLS.join(", ")}`, { code: "bad_value" });
}
