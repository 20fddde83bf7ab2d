import type { CommandAccess } from "../core/permission.ts";
import { loadCommandAnalysis, loadCommandJudge } from "./registry.ts";

/**
 * What a command would touch: taken apart, with what decides about it. Loads both; they take a few milliseconds, and
 * the parser tens of them where the command is more than plain words.
 *
 * @param options.home what `~` stands for in the shell that will run it
 * @param options.dialect which shell that is: `sh` may be any
 */
export async function commandAccess(command: string, options: { readonly home: string; readonly dialect: "bash" | "sh" }): Promise<CommandAccess> {
  const [{ analyzeCommand }, { commandJudge }] = await Promise.all([loadCommandAnalysis(), loadCommandJudge()]);
  return { kind: "command", command, analysis: await analyzeCommand(command, options), judge: commandJudge };
}
