import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { FLAG_NAMES, type Flags } from "./flags.ts";
import { HOST_TARGET, ripgrepOf, type Target } from "./targets.ts";

/** A source file that went into an executable. */
export interface Module {
  /** Relative to the root of the repository. */
  readonly path: string;
  /** Size of the source. */
  readonly bytes: number;
}

interface Compilation {
  readonly root: string;
  readonly outfile: string;
  readonly target: Target;
  readonly flags: Flags;
  readonly version: string;
  readonly commit: string;
}

/**
 * Compiles `src/main.ts` into one file. The executable repeats the base name of `outfile`, and no other path.
 *
 * @returns what is in it, sorted by path
 */
export async function compile({ root, outfile, target, flags, version, commit }: Compilation): Promise<Module[]> {
  const result = await Bun.build({
    entrypoints: [join(root, "src/main.ts")],
    root,
    target: "bun",
    format: "esm",
    // Start-up: nothing is parsed that was compiled before, nothing is loaded that the command does not need.
    bytecode: true,
    splitting: true,
    // Identifiers stay as they are: a class may be told by its name.
    minify: { whitespace: true, syntax: true },
    sourcemap: "none",
    metafile: true,
    // No variable of the builder may end up in the executable. NODE_ENV would, unless it is set here.
    env: "disable",
    define: {
      "process.env.NODE_ENV": JSON.stringify("production"),
      ...Object.fromEntries(FLAG_NAMES.map((name) => [name, JSON.stringify(flags[name])])),
      AGENT_VERSION: JSON.stringify(version),
      AGENT_COMMIT: JSON.stringify(commit),
      AGENT_TARGET: JSON.stringify(target),
    },
    compile: {
      outfile,
      // For its own machine the running Bun is used as it is; for another one it is downloaded.
      ...(target === HOST_TARGET ? {} : { target }),
      // The program starts in directories that others wrote: nothing there may run code in it or configure it.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
    plugins: [embedRipgrep(target, root)],
  });
  return modulesOf(result.metafile)
    .map(({ path, bytes }) => ({ path: relative(root, resolve(path)), bytes }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** What something of is in the executable; the bundler also looks at modules of which nothing is needed. */
function modulesOf(metafile: Bun.BuildMetafile | undefined): Module[] {
  const kept = new Set(Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs)));
  return Object.entries(metafile?.inputs ?? {}).flatMap(([path, { bytes }]) => (kept.has(path) ? [{ path, bytes }] : []));
}

/** Whatever platform's search program the sources import, the one of the target goes in. */
function embedRipgrep(target: Target, root: string): Bun.BunPlugin {
  const { packageName, program } = ripgrepOf(target);
  const path = join(root, "node_modules", packageName, program);
  if (!existsSync(path)) {
    throw new Error(`Cannot build for "${target}": "${packageName}" is not installed, run: bun install --frozen-lockfile --os='*' --cpu='*'`);
  }
  return {
    name: "embed-ripgrep",
    setup(build) {
      build.onResolve({ filter: /^@vscode\/ripgrep-\w+-\w+\/bin\/rg(\.exe)?$/ }, () => ({ path }));
    },
  };
}
