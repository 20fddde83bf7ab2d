import { join } from "node:path";
import { $ } from "bun";
import type { BenchPrograms } from "./measurement.ts";

/** Builds the executable as it is released, and an empty program with the same options. */
export async function buildBenchPrograms(out: string): Promise<BenchPrograms> {
  await $`${process.execPath} build.ts --out ${out}`.cwd(join(import.meta.dir, "..")).quiet();
  const source = join(out, "empty.ts");
  await $`printf '' > ${source}`;
  const built = await Bun.build({
    entrypoints: [source],
    format: "esm",
    bytecode: true,
    splitting: true,
    minify: { whitespace: true, syntax: true },
    compile: { outfile: join(out, "empty"), autoloadDotenv: false, autoloadBunfig: false },
  });
  if (!built.success) throw new AggregateError(built.logs, "The empty program does not build");
  return { agent: join(out, "agent"), empty: join(out, "empty") };
}
