/**
 * Takes the directories in front of the first glob character off a pattern: `src/app/*.ts` starts at `src/app`. A pattern
 * without glob characters ends in a file name, which stays.
 */
export function splitGlob(pattern: string): { readonly directory: string; readonly glob: string } {
  const components = pattern.split("/");
  const firstGlob = components.findIndex((component) => GLOB_CHARACTER.test(component));
  const length = firstGlob === -1 ? components.length - 1 : firstGlob;
  const directory = components.slice(0, length).join("/");
  return { directory: directory === "" && pattern.startsWith("/") ? "/" : directory, glob: components.slice(length).join("/") };
}

const GLOB_CHARACTER = /[*?[\]{}\\]/;
