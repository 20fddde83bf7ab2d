import type { CompletedArgument, CompletedCommand, CompletedFlag, Offer } from "./completion-model.ts";

/** A script that teaches zsh to complete command lines of this program. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef agent
# Completes the command lines of agent in zsh. To load it: source <(agent completion zsh)

_agent_tasks() {
  local -a ids
  ids=(\${(f)"$(_call_program tasks agent ps -aq 2>/dev/null)"})
  compadd -a ids
}

_agent() {
  local -a commands
  commands=(
${commands.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}`).join("\n")}
  )
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${commands.map(commandCase).join("\n")}
  esac
}

if [[ $funcstack[1] == _agent ]]; then
  _agent "$@"
else
  compdef _agent agent
fi
`;
}

function commandCase(command: CompletedCommand): string {
  const specs = [...command.flags.flatMap(flagSpecs), ...command.arguments.map(argumentSpec), ...(command.takesCommand ? ["*:argument:_files"] : [])];
  return [`  ${command.name})`, "    _arguments -s -S : \\", specs.map((spec) => `      ${quoted(spec)}`).join(" \\\n"), "    ;;"].join("\n");
}

function flagSpecs({ name, letter, description, isMultiple, value }: CompletedFlag): string[] {
  const others = letter === undefined || isMultiple ? "" : `(-${letter} --${name})`;
  const rest = `[${escaped(description)}]${value === undefined ? "" : `:${name}:${action(value)}`}`;
  const spec = (spelling: string) => `${isMultiple ? "*" : others}${spelling}${rest}`;
  const long = spec(value === undefined ? `--${name}` : `--${name}=`);
  return letter === undefined ? [long] : [long, spec(value === undefined ? `-${letter}` : `-${letter}+`)];
}

function argumentSpec({ name, isMultiple, offer }: CompletedArgument, index: number): string {
  return `${isMultiple ? "*" : index + 1}:${name}:${action(offer)}`;
}

function action(offer: Offer): string {
  switch (offer.type) {
    case "words":
      return `(${offer.words.join(" ")})`;
    case "tasks":
      return "_agent_tasks";
    case "files":
      return "_files";
    case "directories":
      return "_files -/";
    case "nothing":
      return "";
  }
}

/** Brackets end a description, and a colon what stands before it. */
function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, "\\$&");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
