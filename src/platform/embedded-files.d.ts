/** The search program itself, embedded in the executable. build.ts puts that of the target in its place. */
declare module "@vscode/ripgrep-linux-x64/bin/rg" {
  const path: string;
  export default path;
}
