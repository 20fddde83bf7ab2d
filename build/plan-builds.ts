import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { allVariants, type Flags, parseFlags, variantName } from "./flags.ts";
import { HOST_TARGET, parseTarget, type Target } from "./targets.ts";
import { UsageError } from "./usage-error.ts";

/** One executable to build. */
export interface Build {
  readonly target: Target;
  readonly flags: Flags;
  /** Absolute; the executable and its manifest go directly into it. */
  readonly outDir: string;
}

/** What the arguments ask for. Throws a `UsageError` where they are not understood. */
export function planBuilds(args: readonly string[]): Build[] {
  const options = parseOptions(args);
  const isEveryVariant = options["all-variants"];
  if (isEveryVariant && options.flag.length > 0) throw new UsageError('Cannot combine "--all-variants" with "--flag"');
  const targets = options.target.map(parseTarget);
  const variants = isEveryVariant ? allVariants() : [parseFlags(options.flag)];
  return targets.flatMap((target) =>
    variants.map((flags) => ({
      target,
      flags,
      outDir: resolve(options.out, targets.length > 1 ? target : "", isEveryVariant ? variantName(flags) : ""),
    })),
  );
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      options: {
        target: { type: "string", multiple: true, default: [HOST_TARGET] },
        flag: { type: "string", multiple: true, default: [] },
        "all-variants": { type: "boolean", default: false },
        out: { type: "string", default: "dist" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
