/**
 * Builds the `agent` executable.
 *
 *     bun build.ts [--target bun-linux-x64]… [--flag NAME=on|off]… [--all-variants] [--out DIR]
 *
 * Writes `agent` and `agent.manifest.json` into DIR (default: dist). Where several are asked for, each target and each
 * variant gets a folder of its own below DIR. The same sources give the same bytes, wherever they lie.
 *
 * Every flag is on unless it is told, but for TEST_HOOKS: that one is for testing this program, never for a release.
 *
 * Exit status: 0 built, 1 a build failed or did not prove what it must, 2 an argument is unknown.
 */
import { buildExecutable } from "./build/build-executable.ts";
import { planBuilds } from "./build/plan-builds.ts";
import { UsageError } from "./build/usage-error.ts";

try {
  for (const build of planBuilds(process.argv.slice(2))) console.log(await buildExecutable(build));
} catch (error) {
  console.error(describe(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

/** The bundler reports a list, each with its place in the sources. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map((each) => Bun.inspect(each)).join("\n");
  return error instanceof Error ? error.message : String(error);
}
