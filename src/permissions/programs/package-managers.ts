import type { ShellWord } from "../../core/shell-command.ts";
import type { DescribeArguments } from "./argument-report.ts";
import { literalWord } from "./derived-word.ts";
import { judgeArguments } from "./judge-options.ts";
import type { OptionTable } from "./option-table.ts";

/**
 * What a package manager does: a rule for one of its commands was written for the scripts of this project, as the shell
 * runs them, and not for a folder or a shell that an option names.
 */
export function describePackageManager(name: PackageManager): DescribeArguments {
  return (args) => judgeArguments(TABLES[name], args.map(spelledOut));
}

type PackageManager = "npm" | "pnpm" | "yarn";

const IMPURE = { unlisted: "tolerated", operands: "data", isImpure: true } as const;

const TABLES: Readonly<Record<PackageManager, OptionTable>> = {
  npm: { ...IMPURE, flags: "sdv --silent --verbose --version --if-present --ignore-scripts --workspaces --save --save-dev --json --production", values: "w --workspace", dangerValues: "Cc --prefix --script-shell --node-options --userconfig --globalconfig --shell --git --editor --viewer --browser --init-module --call --cache --registry --location --scripts-prepend-node-path --onload-script", danger: "g --global" },
  pnpm: { ...IMPURE, flags: "rsw --recursive --silent", values: "F --filter", dangerValues: "C --dir --prefix --script-shell --node-options --config --config.script-shell --global-dir --global-bin-dir --shell --modules-dir --store-dir --pnpmfile --global-pnpmfile --hook-pnpmfile --registry", danger: "g --global" },
  yarn: { ...IMPURE, flags: "s --silent", dangerValues: "--cwd --use-yarnrc --script-shell --node-options --modules-folder --global-folder --cache-folder --registry --use-manifest --prefix" },
};

/** They take a long name with one dash too. */
function spelledOut(word: ShellWord): ShellWord {
  return word.value !== undefined && /^-[^-]{2}/.test(word.value) ? literalWord(`-${word.value}`) : word;
}
