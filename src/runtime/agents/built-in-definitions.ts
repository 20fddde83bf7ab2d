import explore from "../../agent/definitions/explore.md" with { type: "text" };
import generalPurpose from "../../agent/definitions/general-purpose.md" with { type: "text" };
import plan from "../../agent/definitions/plan.md" with { type: "text" };
import type { AgentDefinition } from "../../core/agent-definition.ts";

/** What an agent has that looks and changes nothing. */
const READER = { tools: ["Read", "Grep", "Glob", "Bash"], permissionMode: "plan", omitProjectInstructions: true, source: "built-in" } as const;

/** The definitions that come with the program, the one for everything first. Written out, because every run lists them. */
export const BUILT_IN_DEFINITIONS: readonly AgentDefinition[] = [
  {
    name: "general-purpose",
    description:
      "Does a whole task of several steps by itself - searching, changing files, running commands - and reports what came of it. For work that fits no other agent.",
    prompt: generalPurpose.trim(),
    tools: "all",
    source: "built-in",
  },
  {
    name: "Explore",
    description:
      "Finds its way through a code base quickly and changes nothing. For questions such as where something is defined, what uses it, or how a part works. Say how thorough it should be - one look, several places, or everything.",
    prompt: explore.trim(),
    ...READER,
  },
  {
    name: "Plan",
    description:
      "Works out how a change is to be made and changes nothing. It reads the code that is concerned and comes back with a plan in steps, the files that matter, and what speaks against it.",
    prompt: plan.trim(),
    ...READER,
  },
];
