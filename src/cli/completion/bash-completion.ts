import type { CompletedCommand, CompletedFlag, Offer } from "./completion-model.ts";

/** A script that teaches bash, from version 4 on, to complete command lines of this program. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# Completes the command lines of agent in bash. To load it: source <(agent completion bash)

_agent_words() {
  mapfile -t COMPREPLY < <(compgen -W "$2" -- "$1")
}

_agent_paths() {
  mapfile -t COMPREPLY < <(compgen "$2" -- "$1")
  compopt -o filenames 2>/dev/null
}

_agent_tasks() {
  _agent_words "$1" "$("\${COMP_WORDS[0]/#\\~/$HOME}" ps -aq 2>/dev/null)"
}

_agent() {
  local current=\${COMP_WORDS[COMP_CWORD]} flag=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]}
  local flags= valued= word index position=0
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _agent_words "$current" "${commands.map((command) => command.name).join(" ")}"
    return
  fi
  case $command in
${commands.map(flagCase).join("\n")}
  *) return ;;
  esac

  # Bash takes --flag=value for three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $flag == = ]]; then
    flag=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((index = 2; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ $word == -- ]]; then
      _agent_paths "$current" -f
      return
    elif [[ $word == = ]]; then
      index=$((index + 1))
    elif [[ $word == -* ]]; then
      if [[ $valued == *" $word "* && \${COMP_WORDS[index + 1]} != = ]]; then index=$((index + 1)); fi
    else
      position=$((position + 1))
    fi
  done

  case $command:$flag in
${valueCases(commands).join("\n")}
  esac
  if [[ $current == -* ]]; then
    _agent_words "$current" "$flags"
    return
  fi
  case $command:$position in
${commands.flatMap(argumentCases).join("\n")}
  esac
}

complete -F _agent agent
`;
}

/** The flags of a command, and between blanks those that take a value. */
function flagCase({ name, flags }: CompletedCommand): string {
  const valued = flags.filter((flag) => flag.value !== undefined).flatMap(spellings);
  const lines = [`    flags="${flags.flatMap(spellings).join(" ")}"`, ...(valued.length === 0 ? [] : [`    valued=" ${valued.join(" ")} "`])];
  return [`  ${name})`, ...lines, "    ;;"].join("\n");
}

/** Flags whose values are offered alike share a line. */
function valueCases(commands: readonly CompletedCommand[]): string[] {
  const patterns = commands.flatMap(({ name, flags }) =>
    flags.flatMap((flag) => spellings(flag).map((spelling) => ({ pattern: `${name}:${spelling}`, value: flag.value }))),
  );
  const byStatement = Map.groupBy(patterns, ({ value }) => (value === undefined ? undefined : statement(value)));
  return [...byStatement].flatMap(([offered, group]) =>
    offered === undefined ? [] : [`  ${group.map(({ pattern }) => pattern).join(" | ")})`, `    ${offered}`, "    return", "    ;;"],
  );
}

function argumentCases({ name, arguments: words }: CompletedCommand): string[] {
  return words.flatMap(({ offer, isMultiple }, position) =>
    offer.type === "nothing" ? [] : [`  ${name}:${isMultiple ? "*" : position}) ${statement(offer)} ;;`],
  );
}

function spellings({ name, letter }: CompletedFlag): string[] {
  return letter === undefined ? [`--${name}`] : [`--${name}`, `-${letter}`];
}

function statement(offer: Offer): string {
  switch (offer.type) {
    case "words":
      return `_agent_words "$current" "${offer.words.join(" ")}"`;
    case "tasks":
      return '_agent_tasks "$current"';
    case "files":
      return '_agent_paths "$current" -f';
    case "directories":
      return '_agent_paths "$current" -d';
    case "nothing":
      return ":";
  }
}
