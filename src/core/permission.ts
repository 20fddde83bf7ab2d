import type { ShellAnalysis } from "./shell-command.ts";

/**
 * How calls that no rule decides are treated. Deny rules hold in every mode.
 *
 * - `default`: reads inside the working directories are free, everything else is asked
 * - `acceptEdits`: also writes inside the working directories, but for protected names
 * - `plan`: reads only; whatever changes something is refused
 * - `dontAsk`: as `default`, and what would be asked is refused without asking
 * - `bypassPermissions`: everything is allowed that no rule denies
 */
export const PERMISSION_MODES = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

export type PermissionBehavior = "allow" | "ask" | "deny";
export type PermissionLayer = "flag" | "env" | "local" | "project" | "user" | "managed";

/** `Tool` or `Tool(spec)`. */
export interface PermissionRule {
  readonly behavior: PermissionBehavior;
  readonly tool: string;
  /** What stands in the parentheses; absent: the rule covers every call of the tool. */
  readonly spec?: string;
  readonly layer: PermissionLayer;
}

/** What a call would touch, as the tool itself describes it; the permission layer decides by this alone. */
export type ToolAccess =
  | { readonly kind: "none" }
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "write"; readonly path: string }
  /** Somebody else's program does it, and nobody here knows what it touches. `input`: JSON, for people. `claimsToRead`: the program says that it changes nothing. */
  | { readonly kind: "foreign"; readonly input: string; readonly claimsToRead: boolean }
  | CommandAccess;

/** A text for a shell, and what can decide about it. */
export interface CommandAccess {
  readonly kind: "command";
  readonly command: string;
  readonly analysis: ShellAnalysis;
  readonly judge: CommandJudge;
}

/** Decides about commands. It comes with them, because most runs never need it. */
export interface CommandJudge {
  decide(request: CommandRequest): Verdict;
  /** Whether a command is proven to change nothing and to read inside the working directories alone, whatever the rules say. */
  isReadOnly(request: Omit<CommandRequest, "isReadOnly" | "tool">): boolean;
}

export interface Verdict {
  readonly behavior: PermissionBehavior;
  /** For people and the model: what was decided and why. */
  readonly reason: string;
  /** The rule that decided, as `deny:Bash(rm:*)`; absent where the mode decided. */
  readonly rule?: string;
  readonly layer?: PermissionLayer | "mode" | "built-in";
  /** The command-line flag, or flags, that would allow the call, when any would. */
  readonly flag?: string;
  /** The rules, as `Bash(npm test:*)`, that together would allow the call, when any would. */
  readonly grants?: readonly string[];
  /** What was found about each simple command, where the call is one for a shell. */
  readonly commands?: readonly CommandFinding[];
}

/** What was found about one simple command of a text. */
export interface CommandFinding {
  /** As written. */
  readonly text: string;
  readonly isAllowed: boolean;
  /** Whether it is proven to change nothing and to read only what may be read. */
  readonly isReadOnly: boolean;
  readonly reason: string;
  /** The rule that covers it, as `allow:Bash(npm test:*)`. */
  readonly rule?: string;
  readonly layer?: PermissionLayer;
  /** The flag that would allow it, when one would. */
  readonly flag?: string;
  /** The rule that would allow it, when one would. */
  readonly grant?: string;
}

/** What a person is asked. */
export interface PermissionQuestion {
  /** The agent that asks, by name or id; absent for the one that the run is. */
  readonly agent?: string;
  readonly tool: string;
  /** A path in it is the real one. */
  readonly access: ToolAccess;
  readonly verdict: Verdict;
}

/**
 * - `once`: this call may run
 * - `run`, `always`: so may, for this run or from now on, what the rules of the verdict cover
 * - `refused`: the call must not run
 * - `unanswered`: the question was put and then taken back, or whoever was asked has gone
 * - `unasked`: nobody could be asked
 */
export type PermissionReply = "once" | "run" | "always" | "refused" | "unanswered" | "unasked";

/** What a question came to. */
export interface PermissionAnswer {
  readonly verdict: Verdict;
  /** Whether a person decided, and not a rule that came to hold before it was their turn. */
  readonly isFromUser: boolean;
}

export interface PermissionContext {
  readonly mode: PermissionMode;
  readonly rules: readonly PermissionRule[];
  /** Absolute paths: the working directory first, then every added one. */
  readonly directories: readonly string[];
  /** More that is free to read, and nothing else: absolute, real paths of what the program keeps for the conversation. */
  readonly readable?: readonly string[];
}

/** One call that is to be decided, and by what. */
export interface PermissionRequest<Access extends ToolAccess = ToolAccess> {
  /** The name of the tool. */
  readonly tool: string;
  readonly access: Access;
  /** Whether the call is proven to change nothing. */
  readonly isReadOnly: boolean;
  readonly context: PermissionContext;
  /** Absolute, real path: where relative paths of calls and rules start. */
  readonly cwd: string;
  /** More that is never free to write, absolute: the user's configuration, the state directory. */
  readonly protectedPaths?: readonly string[];
  /** The checkout of which the agent works in a copy, and the copy: absolute, real paths. What is in the first alone is never written. */
  readonly isolation?: { readonly original: string; readonly copy: string };
  /** Whether the programs of a command are found outside the working directory alone; true unless told. */
  readonly isSearchPathFixed?: boolean;
  /** The home directory; the user's unless told. */
  readonly home?: string;
}

export type CommandRequest = PermissionRequest<CommandAccess>;
export type PathRequest = PermissionRequest<Exclude<ToolAccess, CommandAccess>>;

/** A refused call, as `run.result` lists it. */
export interface PermissionDenial {
  readonly tool: string;
  readonly toolUseId: string;
  /** SHA-256 of the call's input, in hexadecimal: tells repeated calls without repeating what they held. */
  readonly inputDigest: string;
  readonly rule: string | null;
  readonly layer: string | null;
  readonly reason: string;
  /** Of the agent that made it; absent for the root of a run. */
  readonly agentId?: string;
}
