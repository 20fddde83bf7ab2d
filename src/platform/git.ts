import { AppError, errorMessage } from "../core/errors.ts";
import { gitEnvironment, type GitPlace } from "./git-environment.ts";
import { gitProgram } from "./git-program.ts";

/** Who starts git, and how. */
export interface GitWorld {
  /** The environment of this process; what git must not see of it is left out. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Calls what starts the process, at once; for whoever has to find it again. */
  readonly supervise?: (start: () => GitChild) => GitChild;
  /** Ends git when it is aborted. */
  readonly signal?: AbortSignal;
  /** Where git is, for tests; fixed places are looked at unless given. */
  readonly locate?: () => string;
}

export interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  /** What git works on; found from `cwd` unless given. */
  readonly place?: GitPlace;
  /** `name=value`, beside what always holds. The name may contain no `=`. */
  readonly config?: readonly string[];
  readonly input?: string | Uint8Array;
  readonly identity?: "user" | "agent";
  /** 60 s unless told. */
  readonly timeoutMs?: number;
  /** 64 MiB unless told. */
  readonly outputBytesMax?: number;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** What it complained about, for people; up to 8 KiB. */
  readonly complaint: string;
}

export type GitChild = Bun.Subprocess<"ignore" | Uint8Array, "pipe", "pipe">;

const TIMEOUT_MS = 60_000;
const GRACE_MS = 2_000;
const OUTPUT_BYTES_MAX = 67_108_864;
const COMPLAINT_BYTES_MAX = 8_192;

/**
 * Runs git, without a shell and so that nothing of the repository makes it run another program: no hooks, no monitor of
 * the file system, no pager, no editor, no signing, no network. Content filters, merge drivers and hooks by configuration
 * are the caller's to switch off, who knows their names. Where it prints a diff, `args` must say `--no-ext-diff` and
 * `--no-textconv`.
 *
 * Rejects with an `AppError`: `git_missing`, `git_timeout`, `git_output` where it prints too much, `git_aborted`,
 * `git_start`. Whatever it exits with is a result.
 */
export async function runGit(call: GitCall, world: GitWorld): Promise<GitResult> {
  const program = (world.locate ?? gitProgram)();
  const name = call.args.find((arg) => !arg.startsWith("-")) ?? "";
  const child = startGit(program, call, world);
  let ending: { readonly code: string; readonly why: string } | undefined;
  const end = (code: string, why: string) => {
    ending ??= { code, why };
    endGroup(child);
  };
  const timeoutMs = call.timeoutMs ?? TIMEOUT_MS;
  const timer = setTimeout(() => end("git_timeout", `it took longer than ${timeoutMs / 1_000} s`), timeoutMs);
  const onAbort = () => end("git_aborted", "it was stopped");
  world.signal?.addEventListener("abort", onAbort);
  if (world.signal?.aborted === true) onAbort();
  try {
    const [output, complaint] = await Promise.all([
      readBounded(child.stdout, call.outputBytesMax ?? OUTPUT_BYTES_MAX, () => end("git_output", "it prints too much")),
      readBounded(child.stderr, COMPLAINT_BYTES_MAX, () => undefined),
    ]);
    const exitCode = await child.exited;
    if (ending !== undefined) throw new AppError("failed", `"git ${name}" was ended: ${ending.why}`, { code: ending.code });
    return { exitCode, stdout: output, complaint: withoutPrefix(complaint.toString()) };
  } finally {
    clearTimeout(timer);
    world.signal?.removeEventListener("abort", onAbort);
  }
}

function startGit(program: string, call: GitCall, world: GitWorld): GitChild {
  const config = [...SAFE_CONFIG, ...(call.config ?? [])].flatMap((setting) => ["-c", setting]);
  const start = (): GitChild =>
    Bun.spawn([program, "--no-pager", "--literal-pathspecs", ...config, ...call.args], {
      cwd: call.cwd,
      env: gitEnvironment(world.env, call),
      stdin: call.input === undefined ? "ignore" : new Uint8Array(Buffer.from(call.input)),
      stdout: "pipe",
      stderr: "pipe",
      // A session of its own: Ctrl-C in a terminal must not stop it in the middle of a checkout.
      detached: true,
    });
  try {
    return world.supervise === undefined ? start() : world.supervise(start);
  } catch (error) {
    throw new AppError("failed", `Cannot start git in "${call.cwd}": ${errorMessage(error)}`, { code: "git_start", cause: error });
  }
}

/** What a repository's configuration says otherwise. */
const SAFE_CONFIG: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.pager=cat",
  "core.editor=true",
  "core.askPass=",
  "core.sshCommand=false",
  "core.trustctime=true",
  "core.checkStat=default",
  "credential.helper=",
  "safe.bareRepository=explicit",
  "protocol.allow=never",
  "protocol.ext.allow=never",
  "protocol.file.allow=never",
  "diff.external=",
  "diff.noprefix=false",
  "diff.mnemonicPrefix=false",
  "diff.ignoreSubmodules=dirty",
  "commit.gpgSign=false",
  "tag.gpgSign=false",
  "merge.verifySignatures=false",
  "log.showSignature=false",
  "rerere.enabled=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "submodule.recurse=false",
  "branch.autoSetupMerge=false",
  "worktree.useRelativePaths=false",
  "apply.whitespace=nowarn",
  "apply.ignoreWhitespace=no",
  "advice.detachedHead=false",
  "color.ui=false",
];

/** Politely first: git then takes its lock files away. */
function endGroup(child: GitChild): void {
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      child.kill(signal);
    }
  };
  send("SIGTERM");
  const timer = setTimeout(() => send("SIGKILL"), GRACE_MS);
  void child.exited.then(() => clearTimeout(timer));
}

function withoutPrefix(text: string): string {
  return text.trim().replace(/^(?:fatal|error): /gm, "");
}

/** Reads to the end and keeps the first bytes; the rest is dropped, so that the writer never waits. */
async function readBounded(stream: ReadableStream<Uint8Array>, bytesMax: number, onFull: () => void): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    if (length > bytesMax) continue;
    chunks.push(chunk);
    length += chunk.length;
    if (length > bytesMax) onFull();
  }
  return Buffer.concat(chunks).subarray(0, bytesMax);
}
