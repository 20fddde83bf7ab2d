import identity from "./prompt/identity.md" with { type: "text" };
import tools from "./prompt/tools.md" with { type: "text" };
import working from "./prompt/working.md" with { type: "text" };

export interface SystemPromptParams {
  /** Replaces the built-in sections. */
  readonly override?: string;
  /** Comes after the sections. */
  readonly append?: string;
  readonly cwd: string;
  readonly directories: readonly string[];
  readonly platform: string;
  /** The day the run started, as YYYY-MM-DD. A day does not change within a run, so the bytes stay the same. */
  readonly date: string;
}

/**
 * Renders the system prompt, once a run. The first block depends on flags alone and is the same for every directory;
 * what differs from run to run stands in the second, so that the first can be shared through the prompt cache.
 */
export function renderSystemPrompt(params: SystemPromptParams): readonly string[] {
  const sections = params.override === undefined ? [identity, working, tools] : [params.override];
  if (params.append !== undefined) sections.push(params.append);
  return [sections.map((section) => section.trim()).join("\n\n"), environmentSection(params)];
}

function environmentSection(params: SystemPromptParams): string {
  const added = params.directories.filter((directory) => directory !== params.cwd);
  return [
    "# Environment",
    `- Working directory: ${params.cwd}`,
    ...added.map((directory) => `- Also yours to work in: ${directory}`),
    `- Platform: ${params.platform}`,
    `- Date: ${params.date}`,
  ].join("\n");
}
