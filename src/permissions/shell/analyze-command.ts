import type { ShellAnalysis, ShellCommand, ShellWord } from "../../core/shell-command.ts";
import { loadShellParser } from "./registry.ts";
import { plainWords } from "./plain-words.ts";
import { once } from "../../lib/once.ts";
import { readStatements } from "./read-statements.ts";
import { problemOfText } from "./problem-of-text.ts";
import { joinContinuedLines } from "./continued-lines.ts";
import { unwrapCommand } from "./unwrap-command.ts";
import { reservedProgram } from "./reserved-words.ts";
import { problemOfBuiltin } from "./builtins.ts";
import { shellVariableIn } from "./environment-variables.ts";
import type { ShellParser } from "./syntax-tree.ts";

const openParser = once(async () => await (await loadShellParser()).openShellParser());

export interface AnalysisOptions {
  /** What `~` stands for: the `HOME` of the shell that will run the text. */
  readonly home: string;
  /** Which shell will run it: `sh` may be any. */
  readonly dialect: "bash" | "sh";
}

/**
 * Finds out which commands a shell text runs, without running anything. Loads the parser unless the text is plain words.
 * Never rejects: what cannot be understood is opaque.
 */
export async function analyzeCommand(text: string, options: AnalysisOptions): Promise<ShellAnalysis> {
  const parse = plainWords(text) === undefined ? await openParser() : noParser;
  return analyzeWith(parse, text, { ...options, depth: 0 });
}

const noParser: ShellParser = () => undefined;

/** Shells within shells, `sh -c "sh -c …"`: deeper ones are opaque. */
const DEPTH_MAX = 5;

interface Context extends AnalysisOptions {
  readonly depth: number;
}

function analyzeWith(parse: ShellParser, text: string, context: Context): ShellAnalysis {
  try {
    const words = plainWords(text);
    const read = words === undefined ? readText(parse, text, context) : plainAnalysis(words, text);
    return complete(read, parse, context);
  } catch (error) {
    // A defect here must not let anything through.
    return opaqueAnalysis(`it could not be looked at (${error instanceof Error ? error.message : String(error)})`);
  }
}

function plainAnalysis(words: readonly string[], text: string): ShellAnalysis {
  const command: ShellCommand = { words: words.map(literalWord), assignments: [], redirections: [], directories: ["."], text };
  return { commands: [command], functions: new Set() };
}

function readText(parse: ShellParser, original: string, context: Context): ShellAnalysis {
  const text = joinContinuedLines(original);
  const problem = problemOfText(text, context.dialect);
  const root = parse(text);
  if (root === undefined) return opaqueAnalysis(problem ?? "it is too large or is not understood");
  const read = readStatements(root, text, context.home);
  return problem === undefined ? read : { ...read, opaque: problem };
}

/** Looks into what the commands start in their turn. */
function complete(analysis: ShellAnalysis, parse: ShellParser, context: Context): ShellAnalysis {
  let { opaque } = analysis;
  const commands: ShellCommand[] = [];
  for (const command of analysis.commands) {
    const [program] = command.words;
    opaque ??= problemOfAssignments(command) ?? problemOfUnset(command, analysis.functions);
    if (program === undefined) {
      commands.push(command);
      continue;
    }
    opaque ??= problemOfProgram(program) ?? problemOfBuiltin(command);
    commands.push({ ...command, ...innerOf(command, parse, context) });
  }
  return { commands, functions: analysis.functions, ...(opaque === undefined ? {} : { opaque }) };
}

function problemOfAssignments({ assignments }: ShellCommand): string | undefined {
  const variable = shellVariableIn(assignments);
  return variable === undefined ? undefined : `setting "${variable}" can change what the shell runs`;
}

/** Without an option it removes functions too. */
function problemOfUnset({ words: [program, ...names] }: ShellCommand, functions: ReadonlySet<string>): string | undefined {
  return program?.value === "unset" && names.some(({ value }) => functions.has(value ?? "")) ? "it removes a function" : undefined;
}

function problemOfProgram({ value }: ShellWord): string | undefined {
  if (value === undefined) return "the name of a program is computed";
  if (reservedProgram(value)) return `"${value}" stands where a program is expected`;
  return undefined;
}

function innerOf(command: ShellCommand, parse: ShellParser, context: Context): Pick<ShellCommand, "inner"> {
  const found = unwrapCommand(command.words);
  if (found === undefined) return {};
  const { start, isTransparent } = found;
  if (found.type === "unknown") return { inner: { analysis: opaqueAnalysis(found.why), start, isTransparent: false } };
  if (context.depth >= DEPTH_MAX) return { inner: { analysis: opaqueAnalysis("too many commands start each other"), start, isTransparent } };
  const deeper = { ...context, depth: context.depth + 1 };
  if (found.type === "text") {
    const analysis = analyzeWith(parse, found.text, { ...deeper, dialect: found.dialect });
    return { inner: { analysis: within(analysis, command.directories), start, isTransparent } };
  }
  const commands = found.commands.map(({ words, assignments = [] }) => ({
    words,
    assignments,
    redirections: [],
    directories: command.directories,
    text: command.text,
  }));
  return { inner: { analysis: complete({ commands, functions: new Set() }, parse, deeper), start, isTransparent } };
}

/** A shell started by another begins where that one is, and so does all that it starts. */
function within(analysis: ShellAnalysis, directories: readonly string[]): ShellAnalysis {
  if (directories.length === 1 && directories[0] === ".") return analysis;
  const moves = analysis.commands.some((command) => command.directories.length > 1);
  const commands = analysis.commands.map((command) => {
    const { inner } = command;
    return { ...command, directories, ...(inner === undefined ? {} : { inner: { ...inner, analysis: within(inner.analysis, directories) } }) };
  });
  return { ...analysis, commands, ...(moves ? { opaque: analysis.opaque ?? "it changes the directory in two shells" } : {}) };
}

function literalWord(value: string): ShellWord {
  return { value, prefix: value, isMultiple: false };
}

function opaqueAnalysis(why: string): ShellAnalysis {
  return { commands: [], functions: new Set(), opaque: why };
}
