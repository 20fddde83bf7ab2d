import type { AgentScene } from "../../core/agent.ts";
import { createPrefixGate, type PrefixGate } from "../../model/prefix-gate.ts";

/** Gives the forks that begin with the same messages one gate. A gate goes with the messages that it is for. */
export function createSiblingGates(): (scene: AgentScene) => PrefixGate {
  const gates = new WeakMap<object, PrefixGate>();
  return ({ messages }) => {
    // The reply that starts them is the same object for all of them, and is in no other conversation.
    const reply = messages.at(-1);
    const known = reply === undefined ? undefined : gates.get(reply);
    const gate = known ?? createPrefixGate();
    if (reply !== undefined) gates.set(reply, gate);
    return gate;
  };
}
