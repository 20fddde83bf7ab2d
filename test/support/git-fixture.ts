import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { WorktreeWorld } from "../../src/engine/worktree/worktree.ts";
import { openStateDirectory } from "../../src/platform/state-directory.ts";
import { tempDir } from "./temp-dir.ts";

/** A home, a state folder and a repository of their own, with the real git. */
export interface GitFixture extends Disposable {
  readonly home: string;
  readonly repository: string;
  readonly world: WorktreeWorld;
  /** Whatever is run although it must not be makes this file. */
  readonly canary: string;
  /** Runs git as a user would; throws where it fails. */
  git(directory: string, ...args: string[]): string;
  /** Writes a file, and the folders above it. */
  write(directory: string, files: Readonly<Record<string, string>>): void;
  /** A script that makes the canary. */
  canaryScript(name: string): string;
}

/** @param options.name what the folder of the repository is called */
export function gitFixture(options: { readonly name?: string } = {}): GitFixture {
  const directory = tempDir();
  const home = join(directory.path, "home");
  const repository = join(directory.path, options.name ?? "repository");
  const canary = join(directory.path, "CANARY");
  mkdirSync(home);
  openStateDirectory({ state: join(home, "state") }).close();
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Somebody\n\temail = somebody@example.org\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n");
  const env = { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" };

  function git(path: string, ...args: string[]): string {
    const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd: path, env });
    if (exitCode !== 0) throw new Error(`git ${args.join(" ")} failed: ${stderr.toString()}`);
    return stdout.toString();
  }
  function write(path: string, files: Readonly<Record<string, string>>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), content);
    }
  }
  cpSync(templateRepository(git, write), repository, { recursive: true });
  return {
    home,
    repository,
    world: { env, statePath: join(home, "state"), now: () => 1_000 },
    canary,
    git,
    write,
    canaryScript(name) {
      const path = join(directory.path, name);
      writeFileSync(path, `#!/bin/sh\ntouch '${canary}'\ncat\n`);
      chmodSync(path, 0o755);
      return path;
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

const template = tempDir();
process.on("exit", () => template[Symbol.dispose]());

/** One commit: files, one of them in a folder, one to run, a link, and a list of what is ignored. */
function templateRepository(git: GitFixture["git"], write: GitFixture["write"]): string {
  const path = join(template.path, "repository");
  if (existsSync(path)) return path;
  mkdirSync(path);
  git(path, "init", "-q");
  write(path, { "a.txt": "one\ntwo\nthree\n", "sub/b.txt": "b\n", "run.sh": "#!/bin/sh\n", ".gitignore": "*.log\nbuild/\n" });
  chmodSync(join(path, "run.sh"), 0o755);
  git(path, "add", ".");
  git(path, "commit", "-qm", "first");
  return path;
}

/** All that is in a directory, by path: content, mode and where links lead. */
export function filesIn(directory: string, below = ""): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(directory, below))) {
    const path = below === "" ? name : `${below}/${name}`;
    const stat = lstatSync(join(directory, path));
    if (stat.isDirectory()) Object.assign(found, filesIn(directory, path));
    else if (stat.isSymbolicLink()) found[path] = `link to ${readlinkSync(join(directory, path))}`;
    else found[path] = `${(stat.mode & 0o777).toString(8)} ${createHash("sha256").update(readFileSync(join(directory, path))).digest("hex")}`;
  }
  return found;
}

/** All of a checkout but objects: what has to be the same, byte for byte, afterwards. */
export function checkoutState(repository: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(filesIn(repository)).filter(([path]) => !/(^|\/)\.git\/(objects\/|(.*\/)?logs\/HEAD$)/.test(path)));
}
