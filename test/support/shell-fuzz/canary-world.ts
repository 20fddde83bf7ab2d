import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../temp-dir.ts";
import { CANARIES, WRAPPERS } from "./names.ts";

/** How a program was started that only notes that. */
export interface CanaryCall {
  /** Its name first. */
  readonly words: readonly string[];
  /** The real path of the directory in which it was. */
  readonly directory: string;
  /** Whether the variables that choose what runs are those that it should have got. */
  readonly isEnvironmentIntact: boolean;
}

/** Directories in which a shell can do no harm, and the shell. */
export interface CanaryWorld {
  /** Where texts start; the only directory that counts as the working one. */
  readonly work: string;
  readonly dialect: "bash" | "sh";
  /** What programs found there did; undefined where the text did not end in time. */
  run(text: string): Promise<readonly CanaryCall[] | undefined>;
  /** What was created, changed or removed since the world was new, which it is again after this. Relative to `root`. */
  takeChanges(): readonly string[];
  readonly root: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** No user of this number has files, and no process of it can change those of others. */
const NOBODY = 65_534;
const PROCESSES_MAX = 200;

/** @param dialect which shell runs the texts: for `sh` whatever the machine has under that name */
export function openCanaryWorld(dialect: "bash" | "sh"): CanaryWorld {
  const directory = tempDir("agent-shells-");
  const root = directory.path;
  const [work, bin, log, alive] = [join(root, "tree/work"), join(root, "bin"), join(root, "log"), join(root, "alive")];
  const lowering = process.getuid?.() === 0 ? Bun.which("setpriv") : null;
  const isRoot = lowering !== null;
  chmodSync(root, 0o755);
  writeFileSync(log, "");
  if (Bun.spawnSync(["mkfifo", alive]).exitCode !== 0) throw new Error("Cannot make a pipe");
  for (const path of [log, alive]) chmodSync(path, 0o666);
  makePrograms(bin, log);
  const own = () => isRoot && ownTree(join(root, "tree"));
  makeTree(root);
  own();
  let fresh = listTree(root);
  const identity = isRoot ? [lowering, `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--no-new-privs"] : [];
  const shell = Bun.which("bash") ?? "/bin/bash";
  const driver = Bun.spawn([...identity, shell, "--norc", join(import.meta.dir, "drive-shells.sh"), work, alive, dialect === "bash" ? shell : "/bin/sh", isRoot ? String(PROCESSES_MAX) : "0"], {
    env: { PATH: bin, HOME: work, FUNCNEST: "4", LC_ALL: "C.UTF-8" },
    cwd: work,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  const answers = linesOf(driver.stdout);
  const environment = `${bin}|${work}|`;
  return {
    work,
    dialect,
    root,
    async run(text) {
      await driver.stdin.write(`${text}\0`);
      await driver.stdin.flush();
      const { value } = await answers.next();
      if (value === undefined) throw new Error("The shells have ended");
      const calls = readCalls(readFileSync(log), environment);
      truncateSync(log);
      return value === "ended" ? calls : undefined;
    },
    takeChanges() {
      const now = listTree(root);
      const paths = new Set([...fresh.keys(), ...now.keys()]);
      const changes = [...paths].filter((path) => fresh.get(path) !== now.get(path));
      if (changes.length > 0) {
        rmSync(join(root, "tree"), { recursive: true, force: true });
        makeTree(root);
        own();
        fresh = listTree(root);
      }
      return changes;
    },
    async [Symbol.asyncDispose]() {
      await driver.stdin.end();
      await driver.exited;
      directory[Symbol.dispose]();
    },
  };
}

/** The real programs that start others, and scripts under the names of all others. */
function makePrograms(bin: string, log: string): void {
  mkdirSync(bin);
  const script = `#!/bin/sh\nprintf '%s\\0' "$#" "$PWD" "$PATH|$HOME|\${GIT_SSH-}\${NODE_OPTIONS-}\${BASH_ENV-}" "\${0##*/}" "$@" >>'${log}'\n`;
  writeFileSync(join(bin, "canary"), script, { mode: 0o755 });
  for (const name of CANARIES) if (name !== "canary") symlinkSync("canary", join(bin, name));
  for (const name of WRAPPERS) {
    const real = Bun.which(name);
    if (real !== null) symlinkSync(real, join(bin, name));
  }
}

function makeTree(root: string): void {
  const tree = join(root, "tree");
  for (const name of ["work/sub/deep", "work/.git/hooks", "outside/sub", "nothing"]) mkdirSync(join(tree, name), { recursive: true });
  for (const name of ["work/a.txt", "work/b.txt", "work/.env", "work/sub/x", "work/sub/deep/y", "work/.git/config", "outside/secret", "outside/s", "outside/sub/x"]) writeFileSync(join(tree, name), name);
  symlinkSync("../outside", join(tree, "work/link"));
  symlinkSync("../nothing", join(tree, "work/empty"));
  symlinkSync("sub/deep", join(tree, "work/inlink"));
  copyFileSync(join(root, "bin/canary"), join(tree, "work/canary"));
}

function ownTree(tree: string): void {
  chownSync(tree, NOBODY, NOBODY);
  for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath, entry.name), NOBODY, NOBODY);
  }
}

/** Path → what changes when somebody changes it. */
function listTree(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(join(root, "tree"), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const stat = statSync(path, { throwIfNoEntry: false });
    found.set(path.slice(root.length + 1), entry.isDirectory() ? "directory" : `${stat?.ino} ${stat?.size} ${stat?.mtimeMs}`);
  }
  return found;
}

function readCalls(log: Buffer, environment: string): readonly CanaryCall[] {
  const fields = log.toString("utf8").split("\0");
  const calls: CanaryCall[] = [];
  for (let at = 0; at < fields.length - 1; ) {
    const count = Number(fields[at]);
    const [directory = "", variables, ...words] = fields.slice(at + 1, at + 4 + count);
    if (!Number.isSafeInteger(count)) throw new Error(`The log is not understood: ${JSON.stringify(fields)}`);
    calls.push({ words, directory: realPathOf(directory), isEnvironmentIntact: variables === environment });
    at += 4 + count;
  }
  return calls;
}

function realPathOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + Buffer.from(chunk).toString()).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
