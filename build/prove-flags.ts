import type { Module } from "./compile.ts";
import { FLAG_NAMES, FLAGS, type Flags } from "./flags.ts";

/**
 * A flag must do what it says: off, neither a module of its folder nor its marker is in the executable; on, both are.
 * Throws where that is not so, since the wrong form of an import keeps the code without a word.
 */
export function proveFlags({ flags, modules, bytes }: { flags: Flags; modules: readonly Module[]; bytes: Buffer }): void {
  for (const name of FLAG_NAMES) {
    const { folder, marker } = FLAGS[name];
    const hasModule = modules.some(({ path }) => path.startsWith(folder));
    const hasMarker = bytes.includes(marker);
    if (hasModule === flags[name] && hasMarker === flags[name]) continue;
    throw new Error(
      `Cannot keep flag "${name}" ${flags[name] ? "on" : "off"}: modules of "${folder}" are ${presence(hasModule)}, the string "${marker}" is ${presence(hasMarker)}`,
    );
  }
}

function presence(isPresent: boolean): string {
  return isPresent ? "present" : "absent";
}
