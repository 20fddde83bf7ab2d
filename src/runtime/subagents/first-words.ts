import { forkHistory } from "../../agent/fork-history.ts";
import forkRules from "../../agent/fork-rules.md" with { type: "text" };
import { readProjectInstructions } from "../../agent/project-instructions.ts";
import { renderSystemPrompt } from "../../agent/system-prompt.ts";
import type { AgentContext, AgentScene } from "../../core/agent.ts";
import { userText, type Message } from "../../core/message.ts";
import { hasSlimmedContext } from "../../core/slimmed-context.ts";
import type { Worktree } from "../../core/worktree.ts";
import type { AgentStart } from "../../tasks/local_agent/index.ts";
import type { AgentWorld } from "./agent-world.ts";

/** What an agent is told in the beginning. */
export function firstWords(params: { readonly request: AgentStart; readonly scene: AgentScene; readonly context: AgentContext; readonly world: AgentWorld; readonly worktree: Worktree | undefined }): {
  readonly system: readonly string[];
  readonly inherited: readonly Message[];
  readonly prompt: Message | undefined;
} {
  const { request, scene, context, world, worktree } = params;
  if (request.definition === "fork") {
    const directive = worktree === undefined ? request.prompt : `${request.prompt}\n\n${movedNote(worktree)}`;
    const history = forkHistory(scene.messages, { directive, rules: forkRules });
    return { system: scene.system, inherited: history.slice(0, -1), prompt: history.at(-1) };
  }
  const isSlimmed = hasSlimmedContext(request.definition, world.env);
  const instructions = isSlimmed ? undefined : readProjectInstructions(context.cwd);
  const text = request.prompt.toWellFormed();
  const content = [...(instructions === undefined ? [] : [{ type: "text" as const, text: instructions }]), { type: "text" as const, text }];
  return {
    system: renderSystemPrompt({
      cwd: context.cwd,
      directories: context.directories,
      platform: process.platform,
      date: new Date(world.run.startedAt).toISOString().slice(0, 10),
      override: request.definition.prompt,
    }),
    inherited: [],
    prompt: instructions === undefined ? userText(text) : { role: "user", content },
  };
}

/** Everything that a copy remembers happened in the original. */
function movedNote({ cwdInside, originalCwd, branch }: Worktree): string {
  return `You work in a copy of the repository now: your working directory is ${cwdInside}, on the branch ${branch}. Paths in the conversation so far lead into ${originalCwd}, which you may not change: use the same paths below your working directory, and read a file there before you edit it.`;
}
