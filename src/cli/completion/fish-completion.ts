import type { CompletedCommand, CompletedFlag, Offer } from "./completion-model.ts";

/** A script that teaches fish to complete command lines of this program. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `# Completes the command lines of agent in fish. To load it: agent completion fish | source

function __agent_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and echo $words[2]
end

function __agent_is
    test "$(__agent_command)" = $argv[1]
end

complete -c agent -f
${commands.map(({ name, description }) => `complete -c agent -n 'not __agent_command' -a ${name} -d ${quoted(description)}`).join("\n")}
${commands.flatMap((command) => [...command.flags.map((flag) => flagLine(command, flag)), ...argumentLines(command)]).join("\n")}
`;
}

function flagLine({ name: command }: CompletedCommand, { name, letter, description, value }: CompletedFlag): string {
  const parts = [prefix(command), `-l ${name}`, letter === undefined ? "" : `-s ${letter}`, value === undefined ? "" : valuePart(value), `-d ${quoted(description)}`];
  return parts.filter((part) => part !== "").join(" ");
}

function valuePart(value: Offer): string {
  if (value.type === "files") return "-r -F";
  const words = offeredWords(value);
  return words === "" ? "-x" : `-x -a ${quoted(words)}`;
}

/** Fish does not tell the places of words apart, so that each place offers what any of them takes. */
function argumentLines({ name, arguments: words, takesCommand }: CompletedCommand): string[] {
  const offered = words.map(({ offer }) => offeredWords(offer)).filter((text) => text !== "");
  return [...offered.map((text) => `${prefix(name)} -a ${quoted(text)}`), ...(takesCommand ? [`${prefix(name)} -n 'contains -- -- (commandline -opc)' -F`] : [])];
}

function offeredWords(offer: Offer): string {
  switch (offer.type) {
    case "words":
      return offer.words.join(" ");
    case "tasks":
      return "(agent ps -aq 2>/dev/null)";
    case "directories":
      return "(__fish_complete_directories)";
    case "files":
    case "nothing":
      return "";
  }
}

function prefix(command: string): string {
  return `complete -c agent -n '__agent_is ${command}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
