import type { AgentPath } from "../../core/cassette.ts";
import { AppError } from "../../core/errors.ts";
import type { StopLine, TapeLine } from "./cassette-line.ts";

/** What one agent gets from a recording, in its order. */
export interface Player {
  /** Takes the line that comes next. Throws an `AppError` of reason `replay_miss` where it is another one, or none. */
  take<Type extends TapeLine["type"]>(type: Type): Extract<TapeLine, { type: Type }>;
  /** The same where the next line is one of this type that fits; otherwise nothing is taken. */
  takeIf<Type extends TapeLine["type"]>(type: Type, fits?: (line: Extract<TapeLine, { type: Type }>) => boolean): Extract<TapeLine, { type: Type }> | undefined;
  /** Meets the stops that come next, where there are any. */
  meetStops(): void;
  /** The work and its recording part here. */
  miss(what: string): AppError;
  /** Called for every stop that is met on the way. */
  onStop: (stop: StopLine) => void;
}

const NAMES: Readonly<Record<TapeLine["type"], string>> = {
  model: "the opening of a model",
  request: "a request",
  reply: "a reply",
  results: "results of calls",
  kept: "a result that is put away",
  input: "what comes in at the end of a turn",
  state: "a reminder of the state of the work",
  random: "a random number",
  answer: "a final answer",
  stop: "a stop",
};

export function createPlayer(params: {
  /** For people. */
  readonly path: string;
  readonly agent: AgentPath;
  readonly lines: readonly TapeLine[];
  /** Whether the run that was recorded came to its end. */
  readonly isWhole: boolean;
  readonly onMiss: () => void;
}): Player {
  const { lines, agent } = params;
  let at = 0;

  function next(): TapeLine | undefined {
    for (let line = lines[at]; line?.type === "stop"; line = lines[at]) {
      at++;
      player.onStop(line);
    }
    return lines[at];
  }

  function miss(what: string): AppError {
    params.onMiss();
    return new AppError("replay_miss", `Cannot replay "${params.path}": ${what}`);
  }

  function takeIf<Type extends TapeLine["type"]>(type: Type, fits: (line: Extract<TapeLine, { type: Type }>) => boolean = () => true) {
    const line = next();
    if (!isOf(line, type) || !fits(line)) return undefined;
    at++;
    return line;
  }

  const player: Player = {
    takeIf,
    take(type) {
      const line = takeIf(type);
      if (line !== undefined) return line;
      const found = next();
      const where = `before ${NAMES[type]} of agent "${agent}"`;
      if (found !== undefined) throw miss(`agent "${agent}" needs ${NAMES[type]} where the recording has ${NAMES[found.type]}`);
      throw miss(`the recording ends ${where}${params.isWhole ? "" : ", because the run that it is of broke off"}`);
    },
    meetStops: () => void next(),
    miss,
    onStop: () => undefined,
  };
  return player;
}

function isOf<Type extends TapeLine["type"]>(line: TapeLine | undefined, type: Type): line is Extract<TapeLine, { type: Type }> {
  return line?.type === type;
}
