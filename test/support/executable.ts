import { existsSync } from "node:fs";
import { join } from "node:path";
import { allVariants, FLAG_NAMES, parseFlags, variantName } from "../../build/flags.ts";
import { ROOT } from "./source-tree.ts";

const built = new Map<string, string>();

/**
 * The compiled program, by the name of its variant (`variantName` in build/flags.ts). The test runner has built all of
 * them and says where; in a run without it, one is built when it is first asked for.
 */
export function executable(variant = "full"): string {
  const path = built.get(variant) ?? (process.env["AGENT_TEST_DIST"] === undefined ? build(variant) : join(process.env["AGENT_TEST_DIST"], variant, "agent"));
  if (!existsSync(path)) throw new Error(`No executable of variant "${variant}" at "${path}"`);
  built.set(variant, path);
  return path;
}

function build(variant: string): string {
  const flags = [...allVariants(), parseFlags(["TEST_HOOKS=on"])].find((each) => variantName(each) === variant);
  if (flags === undefined) throw new Error(`There is no variant "${variant}"`);
  const settings = FLAG_NAMES.flatMap((name) => ["--flag", `${name}=${flags[name] ? "on" : "off"}`]);
  const outDir = join(ROOT, "dist", "test", variant);
  const { success, stderr } = Bun.spawnSync([process.execPath, "build.ts", ...settings, "--out", outDir], { cwd: ROOT });
  if (!success) throw new Error(`Cannot build variant "${variant}": ${stderr.toString()}`);
  return join(outDir, "agent");
}
