/**
 * Shows the program at work, with a scripted model and no network: an agent in the background mends a failing test in a
 * throw-away repository, while this follows its log. Exits with 0 only if every step did what it should.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");
const STEP_MS_MAX = 120_000;
const bun = process.execPath;
const agent = join(ROOT, "dist", process.platform === "win32" ? "agent.exe" : "agent");

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "agent-demo-")));
const project = join(scratch, "cart");
const env = demoEnvironment();
let taskId: string | undefined;
try {
  prepare(["install", "--frozen-lockfile"]);
  prepare(["build.ts", "--out", join(ROOT, "dist")]);
  await createProject();

  say("A repository whose test fails:");
  await step([bun, "test"], { expectedExitCode: 1 });

  say("An agent gets to work in the background; its id is printed at once:");
  const options = ["--model", "scripted:demo", "--permission-mode", "acceptEdits", "--allow", "Bash(bun test)"];
  taskId = (await step([agent, "run", "--background", ...options, "make the failing test pass"])).trim();
  check(/^a[0-9a-z]{8}$/.test(taskId), `"${taskId}" is not the id of an agent`);

  say("Its log, until it ends:");
  const log = await step([agent, "logs", "-f", taskId]);
  check(log.trim() !== "", "the log is empty");

  say("How it ended:");
  await step([agent, "wait", "--timeout", "60s", taskId]);
  taskId = undefined;

  say("What it changed:");
  const diff = await step(["git", "--no-pager", "diff"]);
  check(diff.includes("quantity"), "the diff does not mend the sum");

  say("And the test passes:");
  await step([bun, "test"]);
} catch (error) {
  console.error(`The demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  if (taskId !== undefined) Bun.spawnSync([agent, "stop", "--force", taskId], { env, timeout: STEP_MS_MAX });
  rmSync(scratch, { recursive: true, force: true });
}

function prepare(args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([bun, ...args], { cwd: ROOT, timeout: STEP_MS_MAX });
  check(exitCode === 0, `bun ${args.join(" ")} exited with ${exitCode}: ${stderr.toString()}`);
}

/** Runs a command in the project, shows it as a user would type it and what it prints, and returns its stdout. */
async function step(command: readonly string[], options: { readonly isQuiet?: boolean; readonly expectedExitCode?: number } = {}): Promise<string> {
  const typed = command.map(asTyped).join(" ");
  const show = (text: string | Uint8Array) => options.isQuiet === true || process.stdout.write(text);
  show(`$ ${typed}\n`);
  const child = Bun.spawn([...command], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"], timeout: STEP_MS_MAX });
  const [stdout, stderr] = await Promise.all([follow(child.stdout, show), follow(child.stderr, show)]);
  const exitCode = await child.exited;
  check(exitCode === (options.expectedExitCode ?? 0), `"${typed}" exited with ${exitCode}: ${stderr}`);
  return stdout;
}

async function follow(stream: ReadableStream<Uint8Array>, show: (chunk: Uint8Array) => void): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) {
    show(chunk);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function asTyped(argument: string): string {
  if (argument === agent) return "agent";
  if (argument === bun) return "bun";
  return /^[\w./:=-]+$/.test(argument) ? argument : `'${argument}'`;
}

function say(text: string): void {
  console.log(`\n# ${text}`);
}

function check(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem);
}

/** Nothing of the user's own: state, configuration and credentials stay out, and `bun` is the one that runs this. */
function demoEnvironment(): Record<string, string | undefined> {
  const bin = join(scratch, "bin");
  mkdirSync(bin);
  symlinkSync(bun, join(bin, "bun"));
  const inherited = Object.entries(process.env).filter(([name]) => !/^(AGENT|ANTHROPIC|GIT|XDG)_/.test(name));
  return {
    ...Object.fromEntries(inherited),
    PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
    HOME: scratch,
    AGENT_STATE_DIR: join(scratch, "state"),
    AGENT_RUNTIME_DIR: join(scratch, "run"),
  };
}

async function createProject(): Promise<void> {
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), `${JSON.stringify({ name: "cart", private: true, type: "module" }, null, 2)}\n`);
  writeFileSync(join(project, "cart.js"), "export function total(items) {\n  return items.reduce((sum, item) => sum + item.price, 0);\n}\n");
  writeFileSync(
    join(project, "cart.test.js"),
    `import { expect, test } from "bun:test";
import { total } from "./cart.js";

test("the total counts quantities", () => {
  expect(total([{ price: 2, quantity: 3 }])).toBe(6);
});
`,
  );
  const author = ["-c", "user.name=Demo", "-c", "user.email=demo@example.com", "-c", "commit.gpgsign=false"];
  await step(["git", "init", "--quiet"], { isQuiet: true });
  await step(["git", "add", "."], { isQuiet: true });
  await step(["git", ...author, "commit", "--quiet", "--message", "Start a cart"], { isQuiet: true });
}
