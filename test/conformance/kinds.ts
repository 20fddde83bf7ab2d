import { localAgent } from "./local-agent.ts";
import { localBash } from "./local-bash.ts";
import type { TaskKindFixture } from "./task-kind-fixture.ts";

/** The kinds that can be started, one line each. */
export const STARTABLE_KINDS: readonly TaskKindFixture[] = [
  localBash,
  localAgent,
];
