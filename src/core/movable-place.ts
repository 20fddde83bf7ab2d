/** Where an agent works. */
export interface AgentPlace {
  /** Absolute, real path. Relative paths of tool calls start here. */
  readonly cwd: string;
  /** The working directory first, then every added one; absolute, real paths. */
  readonly directories: readonly string[];
}

/** A place that an agent may leave for another one, and come back to. */
export interface MovablePlace {
  current(): AgentPlace;
  enter(place: AgentPlace): void;
  /** Whether the agent has entered another place since it began. */
  hasMoved(): boolean;
  /** Back to where it began. */
  leave(): void;
}

export function createMovablePlace(beginning: AgentPlace): MovablePlace {
  let entered: AgentPlace | undefined;
  return {
    current: () => entered ?? beginning,
    enter(place) {
      entered = place;
    },
    hasMoved: () => entered !== undefined,
    leave() {
      entered = undefined;
    },
  };
}
