/**
 * The test suite: installs what is locked, builds every variant and the build with test hooks once, runs all tests, and
 * ends with the one line "N passed, N failed" on stdout. Everything else goes to stderr.
 *
 *     bun test/run.ts [ARGUMENT OF bun test]…
 *
 * Exit status 0 only if something was tested and nothing failed, not even to load.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { runTests } from "./support/run-tests.ts";

const ROOT = join(import.meta.dir, "..");
const DIST = join(ROOT, "dist", "test");
const TEST_MS_MAX = 60_000;
const SUITE_MS_MAX = 10 * 60_000;

run("install", "--frozen-lockfile");
rmSync(DIST, { recursive: true, force: true });
run("build.ts", "--all-variants", "--out", DIST);
run("build.ts", "--flag", "TEST_HOOKS=on", "--out", join(DIST, "test-hooks"));

const { passed, failed } = await runTests({
  args: ["--timeout", String(TEST_MS_MAX), ...process.argv.slice(2)],
  cwd: ROOT,
  env: { ...environmentForTests(), AGENT_TEST_DIST: DIST },
  timeoutMs: SUITE_MS_MAX,
});
console.log(`${passed} passed, ${failed} failed`);
// Something that a test left behind may still hold the output open.
process.exit(failed === 0 ? 0 : 1);

function run(...args: string[]): void {
  const { exitCode } = Bun.spawnSync([process.execPath, ...args], { cwd: ROOT, stdio: ["ignore", 2, 2] });
  if (exitCode !== 0) throw new Error(`Cannot run the tests: "bun ${args.join(" ")}" exited with ${exitCode}`);
}

/** Tests must not depend on whose machine they run on, and must never reach a real service. */
function environmentForTests(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AGENT|ANTHROPIC|CLAUDE|BUN_OPTIONS|GIT)/.test(name)));
}
