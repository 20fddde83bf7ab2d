import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { compile } from "./compile.ts";
import { FLAG_NAMES, FLAGS, variantName } from "./flags.ts";
import type { Build } from "./plan-builds.ts";
import { proveFlags } from "./prove-flags.ts";
import { sourceCommit } from "./source-commit.ts";
import { executableName } from "./targets.ts";

const ROOT = join(import.meta.dir, "..");

/**
 * Builds one executable and the manifest beside it. They are made aside and moved into place when all went well: a
 * running executable keeps its file, and a failed build leaves the old one.
 *
 * @returns a line for people
 */
export async function buildExecutable({ target, flags, outDir }: Build): Promise<string> {
  mkdirSync(outDir, { recursive: true });
  const scratch = mkdtempSync(join(outDir, ".build-"));
  try {
    const name = executableName(target);
    const built = join(scratch, name);
    const origin = { version: packageJson.version, commit: sourceCommit(ROOT), target, flags };
    const modules = await compile({ ...origin, root: ROOT, outfile: built });
    const bytes = readFileSync(built);
    proveFlags({ flags, modules, bytes });
    const manifest = {
      ...origin,
      bunVersion: Bun.version,
      lockHash: sha256(readFileSync(join(ROOT, "bun.lock"))),
      sha256: sha256(bytes),
      bytes: bytes.length,
      absentStrings: FLAG_NAMES.filter((flag) => !flags[flag]).map((flag) => FLAGS[flag].marker),
      modules,
    };
    renameSync(built, join(outDir, name));
    writeFileSync(join(outDir, "agent.manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    return `${join(outDir, name)} (${target}, ${variantName(flags)}, ${(bytes.length / 1e6).toFixed(1)} MB)`;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
