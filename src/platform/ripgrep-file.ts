import path from "@vscode/ripgrep-linux-x64/bin/rg" with { type: "file" };

/** Where the embedded search program can be read; it cannot be started there from within the executable. */
export const ripgrepFile: string = path;
