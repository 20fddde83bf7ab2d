import type { TaskId } from "./task.ts";

/** A checkout of its own in which a task works, on a branch of its own. Plain data. */
export interface Worktree {
  /** The task that it was made for. */
  readonly id: TaskId;
  /** The run that made it, or took it up again last. */
  readonly runId: string;
  /** Absolute, real path, below the folder of worktrees. */
  readonly path: string;
  readonly branch: string;
  /** The commit that it began with: changes are what differs from it. */
  readonly base: string;
  /** What the user called the base. */
  readonly baseRef?: string | undefined;
  /** Whether the base is a commit of its own that holds the uncommitted changes of the original checkout. */
  readonly hasCarriedChanges: boolean;
  /** The checkout that it was made from: where changes are applied. */
  readonly repositoryRoot: string;
  /** The `.git` that both share. */
  readonly commonDirectory: string;
  /** What git keeps about the worktree, below `commonDirectory`. */
  readonly gitDirectory: string;
  /** The directory in the worktree that stands for the one from which it was asked for. */
  readonly cwdInside: string;
  /** That directory in the original checkout. */
  readonly originalCwd: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** What has become of a worktree. */
export interface WorktreeOutcome {
  readonly path: string;
  readonly branch: string;
  readonly base: string;
  /** Whether it differs from its base, or may. */
  readonly changed: boolean;
  readonly kept: boolean;
  /** Why it was kept, or removed; the end of a sentence. */
  readonly reason: string;
  /** Once it was applied or discarded: the ref of a commit that holds all of its content but ignored files. */
  readonly ref?: string | undefined;
}
