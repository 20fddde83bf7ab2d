import { statSync } from "node:fs";
import { homedir } from "node:os";
import type { AgentDefinitions, DefinitionProblem } from "../../core/agent-definition.ts";
import { AppError } from "../../core/errors.ts";
import { EXIT_CODES, type ExitCode } from "../../core/exit-code.ts";
import { nearestName } from "../../lib/nearest-name.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { resolveStatePaths } from "../../platform/state-paths.ts";
import { loadAgentDefinitions } from "../../runtime/agents/load-agent-definitions.ts";
import { problemLine } from "../../runtime/agents/problem-line.ts";
import { validateDefinitions } from "../../runtime/agents/validate-definitions.ts";
import { definitionsTable, definitionText } from "../agents/definition-text.ts";
import { readInlineAgents } from "../agents/read-inline-agents.ts";
import { defineCliCommand, type CliIo, type CommandInput } from "../command.ts";
import { directoryFlag } from "../flag-values.ts";

const ACTIONS = ["ls", "show", "validate"] as const;

const AGENTS_ARGUMENTS = {
  action: { type: "positional", options: ACTIONS, description: "ls, show or validate" },
  subject: { type: "positional", description: "For show: a name. For validate: a file or a folder, instead of all that count here" },
  agents: { type: "string", valueHint: "json|file", description: "More agent definitions, as of the same flag of run" },
  cwd: { type: "string", alias: "C", valueHint: "dir", description: "The directory whose project files count", defaultHint: "the current one" },
  json: { type: "boolean", description: "Print JSON" },
} as const;

type Input = CommandInput<typeof AGENTS_ARGUMENTS>;

export default defineCliCommand({
  name: "agents",
  description: "Show and check agent definitions",
  examples: ["agent agents ls", "agent agents show Explore", "agent agents validate", "agent agents validate .agent/agents/reviewer.md"],
  args: AGENTS_ARGUMENTS,
  async run(input) {
    const { action, subject } = input.values;
    switch (action) {
      case "ls":
        if (subject !== undefined) throw usage(`Unexpected argument "${subject}": "agent agents ls" lists all`);
        return await list(input);
      case "show":
        if (subject === undefined) throw usage('Missing the name behind "agent agents show": "agent agents ls" lists them');
        return await show(subject, input);
      case "validate":
        return await validate(subject, input);
      default:
        throw unknownAction(action);
    }
  },
});

async function list({ values, io }: Input): Promise<ExitCode> {
  const definitions = load({ values, io });
  await tellErrors(definitions.problems, io);
  await io.stdout.write(values.json === true ? `${JSON.stringify(definitions.list())}\n` : definitionsTable(definitions.list()));
  return EXIT_CODES.ok;
}

async function show(name: string, { values, io }: Input): Promise<ExitCode> {
  const definitions = load({ values, io });
  const definition = definitions.find(name);
  if (definition === undefined) {
    const isBroken = definitions.problems.some((problem) => problem.name === name && problem.level === "error");
    throw new AppError(isBroken ? "usage" : "not_found", definitions.explainMissing(name), { code: isBroken ? "invalid_agent" : "unknown_agent" });
  }
  await io.stdout.write(values.json === true ? `${JSON.stringify({ v: 1, ...definition })}\n` : definitionText(definition));
  return EXIT_CODES.ok;
}

/** Warnings alone are no failure. */
async function validate(path: string | undefined, { values, io }: Input): Promise<ExitCode> {
  const { definitions, problems } = path === undefined ? checked(load({ values, io })) : validateDefinitions(path, { isFolder: isFolder(path) });
  const errors = problems.filter(({ level }) => level === "error").length;
  if (values.json === true) await io.stdout.write(`${JSON.stringify({ v: 1, definitions, problems })}\n`);
  else {
    const summary = `${counted(definitions.length, "usable definition")}, ${counted(errors, "error")}, ${counted(problems.length - errors, "warning")}`;
    await io.stdout.write([...problems.map((problem) => visibleText(problemLine(problem))), summary].map((line) => `${line}\n`).join(""));
  }
  return errors === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
}

function checked(definitions: AgentDefinitions) {
  return { definitions: definitions.list(), problems: definitions.problems };
}

function load({ values, io }: Pick<Input, "values" | "io">): AgentDefinitions {
  return loadAgentDefinitions({
    cwd: directoryFlag("--cwd", values.cwd ?? "."),
    config: resolveStatePaths(io.env).config,
    home: io.env["HOME"] || homedir(),
    inline: values.agents === undefined ? undefined : readInlineAgents(values.agents),
  });
}

async function tellErrors(problems: readonly DefinitionProblem[], io: CliIo): Promise<void> {
  for (const problem of problems) if (problem.level === "error") await io.stderr.write(`agent: ${visibleText(problemLine(problem))}\n`);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    throw new AppError("not_found", `There is no file or folder "${path}"`, { code: "no_such_file" });
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function usage(text: string): AppError {
  return new AppError("usage", text, { code: "bad_value" });
}

function unknownAction(action: string | undefined): AppError {
  const nearest = action === undefined ? undefined : nearestName(action, ACTIONS);
  const hint = nearest === undefined ? `it takes ${ACTIONS.join(", ")}` : `did you mean "${nearest}"?`;
  return usage(action === undefined ? `Missing what to do behind "agent agents": ${hint}` : `Unknown word "${action}" behind "agent agents": ${hint}`);
}
