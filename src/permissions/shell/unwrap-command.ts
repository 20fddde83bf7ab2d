import type { ShellAssignment, ShellWord } from "../../core/shell-command.ts";
import { parseWrapperOptions, type WrapperOptions } from "./wrapper-options.ts";

/** What a command starts in its turn. */
export type Unwrapped = {
  /** The index of the first word that says what is started. */
  readonly start: number;
  /** Whether the outer program does nothing of its own. */
  readonly isTransparent: boolean;
} & (
  | { readonly type: "commands"; readonly commands: readonly StartedCommand[] }
  /** A text that a shell reads. */
  | { readonly type: "text"; readonly text: string; readonly dialect: "bash" | "sh" }
  /** Something, and it cannot be told what. */
  | { readonly type: "unknown"; readonly why: string }
);

export interface StartedCommand {
  readonly words: readonly ShellWord[];
  readonly assignments?: readonly ShellAssignment[];
}

/** What a command starts in its turn; undefined where it is not known to start anything. */
export function unwrapCommand(words: readonly ShellWord[]): Unwrapped | undefined {
  const program = nameOf(words[0]);
  if (SHELLS.has(program)) return unwrapShell(program, words);
  const wrapper = WRAPPERS.get(program);
  if (wrapper !== undefined) return unwrapPrefix(wrapper, words);
  return SPECIAL.get(program)?.(words);
}

/** Without the path: a copy of a wrapper at another place does the same. */
function nameOf(word: ShellWord | undefined): string {
  const name = word?.value ?? "";
  return name.slice(name.lastIndexOf("/") + 1);
}

interface Wrapper extends WrapperOptions {
  readonly isTransparent?: boolean;
  /** How many words stand between the options and the command: the duration of `timeout`. */
  readonly operands?: number;
  /** `NAME=VALUE` in front of the command sets variables, as for `env`. */
  readonly hasAssignments?: boolean;
  /** The command gets more words than are written. */
  readonly addsWords?: boolean;
}

const TRANSPARENT = { isTransparent: true } as const;

/** Programs that start the command behind their options. */
const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ["timeout", { ...TRANSPARENT, flags: "v", valued: "ks", long: ["foreground", "preserve-status", "verbose"], longValued: ["kill-after", "signal"], operands: 1 }],
  ["nice", { ...TRANSPARENT, flags: "0123456789", valued: "n", longValued: ["adjustment"] }],
  ["ionice", { ...TRANSPARENT, flags: "t", valued: "cn", long: ["ignore"], longValued: ["class", "classdata"] }],
  ["nohup", TRANSPARENT],
  ["stdbuf", { ...TRANSPARENT, valued: "ioe", longValued: ["input", "output", "error"] }],
  ["setsid", { ...TRANSPARENT, flags: "cfw", long: ["ctty", "fork", "wait"] }],
  ["time", { ...TRANSPARENT, flags: "pv" }],
  ["env", { ...TRANSPARENT, hasAssignments: true }],
  ["command", TRANSPARENT],
  ["builtin", TRANSPARENT],
  ["exec", { flags: "cl", valued: "a" }],
  ["xargs", { ...TRANSPARENT, addsWords: true, flags: "0rtx", valued: "dEILnPs", long: ["null", "no-run-if-empty", "verbose", "exit", "max-lines", "replace"], longValued: ["delimiter", "max-args", "max-procs"] }],
  ["sudo", { flags: "AbEHknSP", valued: "CghprtTu", long: ["preserve-env", "set-home", "non-interactive", "stdin", "background"], longValued: ["user", "group", "host", "prompt", "close-from"], hasAssignments: true }],
  ["doas", { flags: "Lns", valued: "au" }],
  ["chroot", { longValued: ["userspec", "groups"], operands: 1 }],
  ["taskset", { flags: "ac", operands: 1 }],
  ["chrt", { flags: "abfimopr", operands: 1 }],
  ["flock", { flags: "sxnuoe", valued: "wE", operands: 1 }],
  ["strace", { flags: "fFcCqvVdDhiknrtTwxyz", valued: "abeIOpPsSuX" }],
  ["ltrace", { flags: "bcCfhiLrStTV", valued: "aAeFlnopsuwx" }],
  ["unbuffer", { flags: "p" }],
  ["faketime", { flags: "mpf", operands: 1 }],
  ["setpriv", { long: ["reset-env", "clear-groups", "keep-groups", "init-groups", "no-new-privs"] }],
  ["unshare", { flags: "imnpuUCTrcf" }],
  ["busybox", {}],
  ["toybox", {}],
]);

function unwrapPrefix(wrapper: Wrapper, words: readonly ShellWord[]): Unwrapped | undefined {
  const isTransparent = wrapper.isTransparent === true;
  const options = parseWrapperOptions(wrapper, words);
  if (typeof options === "string") return { type: "unknown", why: `${options} of "${nameOf(words[0])}" can start something`, start: 1, isTransparent: false };
  let start = options + (wrapper.operands ?? 0);
  const assignments: ShellAssignment[] = [];
  for (; wrapper.hasAssignments === true; start++) {
    const assignment = assignmentIn(words[start]);
    if (assignment === undefined) break;
    assignments.push(assignment);
  }
  const started = words.slice(start);
  if (started.length === 0 && !isTransparent) return { type: "unknown", why: `"${nameOf(words[0])}" may start a shell`, start: 1, isTransparent };
  if (started.length === 0) return wrapper.addsWords === true ? { type: "commands", commands: [{ words: [literal("echo"), anyWords()] }], start, isTransparent } : undefined;
  const marks = wrapper.addsWords === true ? marksOf(words.slice(1, start)) : [];
  const all = wrapper.addsWords === true ? [...started.map((word) => replaceable(word, marks)), anyWords()] : started;
  return { type: "commands", commands: [{ words: all, assignments }], start, isTransparent };
}

/** `NAME=value` of `env` and `sudo`. */
function assignmentIn(word: ShellWord | undefined): ShellAssignment | undefined {
  const match = /^([A-Za-z_]\w*)=(.*)$/s.exec(word?.value ?? "");
  return match === null ? undefined : { name: match[1] ?? "", value: literal(match[2] ?? "") };
}

/** What `-I` of xargs says stands for what is read. */
function marksOf(options: readonly ShellWord[]): readonly string[] {
  return options.flatMap(({ value = "" }, index) => {
    if (value.startsWith("--replace")) return [value.split("=")[1] ?? "{}"];
    const attached = /^-[0rtx]*I(.*)$/s.exec(value)?.[1];
    return attached === undefined ? [] : [attached === "" ? (options[index + 1]?.value ?? "") : attached];
  });
}

/** Where one of the marks stands in a word, anything may. */
function replaceable(word: ShellWord, marks: readonly string[]): ShellWord {
  const at = Math.min(...marks.map((mark) => word.prefix.indexOf(mark)).filter((found) => found !== -1));
  if (Number.isFinite(at)) return { prefix: word.prefix.slice(0, at), isMultiple: word.isMultiple };
  return word;
}

function anyWords(): ShellWord {
  return { prefix: "", isMultiple: true };
}

function literal(value: string): ShellWord {
  return { value, prefix: value, isMultiple: false };
}

const SHELLS: ReadonlySet<string> = new Set(["ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "pwsh", "rbash", "sh", "tcsh", "zsh"]);

/** Options of a shell that change neither what it reads nor how. */
const SHELL_FLAGS = /^-[celux]*c[celux]*$/;

function unwrapShell(program: string, words: readonly ShellWord[]): Unwrapped {
  const at = words.findIndex(({ value }, index) => index > 0 && (value === undefined || !["-e", "-u", "-x", "-l", "-eu", "-ex", "--norc", "--noprofile"].includes(value)));
  const text = words[at + 1]?.value;
  const hidden = { type: "unknown", why: `"${program}" runs commands that are not written here`, start: 1, isTransparent: false } as const;
  if (at === -1 || !SHELL_FLAGS.test(words[at]?.value ?? "") || text === undefined) return hidden;
  // An option behind `-c` is one of the shell, and what follows it the text.
  if (/^[-+]/.test(text)) return hidden;
  if (program !== "bash" && program !== "sh" && program !== "dash") return { ...hidden, why: `the syntax of "${program}" is not known` };
  return { type: "text", text, dialect: program === "bash" ? "bash" : "sh", start: at + 1, isTransparent: true };
}

/** Programs that take what they start from among their arguments. */
const SPECIAL: ReadonlyMap<string, (words: readonly ShellWord[]) => Unwrapped | undefined> = new Map([
  ["find", unwrapFind],
  ["git", unwrapGit],
  ...["su", "runuser", "script", "watch", "parallel", "entr", "nsenter", "systemd-run", "at", "batch", "expect", "rlwrap", "gdb", "valgrind", "perf", "start-stop-daemon", "daemonize", "pkexec", "prlimit", "numactl", "proot", "bwrap", "firejail", "tmux", "screen", "dbus-run-session", "xvfb-run", "run-parts"].map(
    (name) => [name, (words: readonly ShellWord[]) => unknownStart(words)] as const,
  ),
]);

function unknownStart(words: readonly ShellWord[]): Unwrapped {
  return { type: "unknown", why: `"${nameOf(words[0])}" starts what its arguments say`, start: 1, isTransparent: false };
}

const FIND_STARTS: ReadonlySet<string> = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/** What is left of the arguments without what is started is judged as a command of its own. */
function unwrapFind(words: readonly ShellWord[]): Unwrapped | undefined {
  const commands: StartedCommand[] = [];
  const rest: ShellWord[] = [];
  let first: number | undefined;
  if (words.some(mayStart)) return unknownStart(words);
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (word === undefined) break;
    const start = word.value ?? "";
    if (!FIND_STARTS.has(start)) {
      rest.push(word);
      continue;
    }
    // Each file's own directory is the place then.
    if (start.endsWith("dir")) return unknownStart(words);
    first ??= index + 1;
    let end = index + 1;
    while (end < words.length && !isFindEnd(words, end, start)) end++;
    if (end === words.length) return unknownStart(words);
    commands.push({ words: words.slice(index + 1, end).map(foundFile) });
    index = end;
  }
  if (first === undefined) return undefined;
  return { type: "commands", commands: [{ words: rest }, ...commands], start: first, isTransparent: true };
}

function isFindEnd(words: readonly ShellWord[], at: number, start: string): boolean {
  const value = words[at]?.value;
  return value === ";" || (start === "-exec" && value === "+" && words[at - 1]?.value === "{}");
}

/** Whether the shell may make `-exec` of a word, or what ends that. */
function mayStart({ value, prefix, isMultiple, glob }: ShellWord): boolean {
  return value === undefined && ((isMultiple && glob === undefined) || prefix === "" || /^[-;+]/.test(prefix));
}

/** Names of files that are found begin with the directory that was searched: `./`, or what was named. */
function foundFile(word: ShellWord): ShellWord {
  const at = word.value?.indexOf("{}") ?? -1;
  return at === -1 ? word : { prefix: word.prefix.slice(0, at), isMultiple: at === 0 };
}

/** Options in front of the subcommand that say what programs git uses, or where it takes that from. */
const GIT_STARTS = /^(?:-c|--config-env|--exec-path)(?:=|$)/;

function unwrapGit(words: readonly ShellWord[]): Unwrapped | undefined {
  const subcommand = words.findIndex(({ value }, index) => index > 0 && (value === undefined || !value.startsWith("-")));
  const options = words.slice(1, subcommand === -1 ? words.length : subcommand);
  const at = options.findIndex(({ value }) => value === undefined || GIT_STARTS.test(value));
  if (at !== -1) return { type: "unknown", why: "an option of git can make it run something", start: at + 1, isTransparent: false };
  const args = words.slice(subcommand);
  const started = subcommand === -1 ? undefined : gitStarted(args);
  if (started === undefined) return undefined;
  return { ...started, start: subcommand + started.start, isTransparent: false };
}

type GitStarted = { readonly start: number } & ({ readonly type: "commands"; readonly commands: readonly StartedCommand[] } | { readonly type: "unknown"; readonly why: string });

function gitStarted(args: readonly ShellWord[]): GitStarted | undefined {
  const [subcommand, second] = args;
  if (subcommand?.value === "bisect" && second?.value === "run") return { type: "commands", commands: [{ words: args.slice(2) }], start: 2 };
  const at = args.findIndex(({ value = "" }) => STARTING_OPTIONS.some((option) => value.startsWith(option)));
  if (subcommand?.value === "submodule" && args.some(({ value }) => value === "foreach")) return { type: "unknown", why: "git runs a command in every submodule", start: 1 };
  if (subcommand?.value === "filter-branch") return { type: "unknown", why: "git runs a command for every commit", start: 1 };
  return at === -1 ? undefined : { type: "unknown", why: `git runs what "${args[at]?.value}" says`, start: at };
}

const STARTING_OPTIONS: readonly string[] = ["--exec", "--upload-p", "--receive-p", "--ext-d", "--extcmd", "--open-files-in-pager"];
