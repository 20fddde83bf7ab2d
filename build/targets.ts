import { UsageError } from "./usage-error.ts";

/** Platform of an executable → platform of the ripgrep package that goes into it (its Linux programs need no libc). */
const RIPGREP_PLATFORMS = {
  "bun-linux-x64": "linux-x64",
  "bun-linux-x64-baseline": "linux-x64",
  "bun-linux-x64-musl": "linux-x64",
  "bun-linux-arm64": "linux-arm64",
  "bun-linux-arm64-musl": "linux-arm64",
  "bun-darwin-x64": "darwin-x64",
  "bun-darwin-arm64": "darwin-arm64",
  "bun-windows-x64": "win32-x64",
  "bun-windows-arm64": "win32-arm64",
} as const;

export type Target = keyof typeof RIPGREP_PLATFORMS;

/** The target of the machine that builds. */
export const HOST_TARGET = `bun-${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

export function parseTarget(name: string): Target {
  if (isTarget(name)) return name;
  throw new UsageError(`Cannot build for "${name}": the known targets are ${Object.keys(RIPGREP_PLATFORMS).join(", ")}`);
}

export function executableName(target: Target): string {
  return isWindows(target) ? "agent.exe" : "agent";
}

/** The package whose `program` is the search tool of the target. */
export function ripgrepOf(target: Target): { readonly packageName: string; readonly program: string } {
  return { packageName: `@vscode/ripgrep-${RIPGREP_PLATFORMS[target]}`, program: isWindows(target) ? "bin/rg.exe" : "bin/rg" };
}

function isWindows(target: Target): boolean {
  return target.startsWith("bun-windows-");
}

function isTarget(name: string): name is Target {
  return Object.hasOwn(RIPGREP_PLATFORMS, name);
}
