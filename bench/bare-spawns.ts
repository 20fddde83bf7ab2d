// Starts N times `echo I; sleep 1` as fast as it can and reads what they print: what any program has to do that runs N
// commands. Says how long all of it took, in milliseconds.
import { shellProgram } from "../src/platform/shell-program.ts";

const startedAt = performance.now();
const shells = Array.from({ length: Number(process.argv[2]) }, (_, index) =>
  Bun.spawn([shellProgram(), "-c", `echo ${index}; sleep 1`], { stdin: "ignore", stdout: "pipe", stderr: "pipe" }),
);
const printed = await Promise.all(shells.map(async (shell) => [await new Response(shell.stdout).text(), await new Response(shell.stderr).text(), await shell.exited]));
if (printed.some(([text], index) => text !== `${index}\n`)) throw new Error("Something is missing from the output");
console.log(performance.now() - startedAt);
