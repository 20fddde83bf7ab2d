import { isBackgroundDisabled } from "../../core/background-switch.ts";
import { AppError } from "../../core/errors.ts";
import type { RunInput } from "./arguments.ts";

/** Throws an `AppError` of reason `usage` for flags of which one makes another useless. */
export function refuseContradictions({ values, io }: RunInput): void {
  const { resume, continue: isContinued } = values;
  if (resume !== undefined && isContinued === true) throw contradiction("Two conversations: give --continue or --resume, not both");
  // What the variable names is for new conversations.
  const isAgentAsked = values.agent !== undefined && values.agent !== io.env["AGENT_AGENT"];
  const goesOn = resume !== undefined || isContinued === true;
  if (goesOn && values.exec === true) throw contradiction("A command has no conversation to go on with: leave out --exec, or --continue and --resume");
  if (values.exec === true && values["json-schema"] !== undefined) throw contradiction("A command gives no structured output: leave out --exec or --json-schema");
  if (values.exec === true && isAgentAsked) throw contradiction("A command is no agent: leave out --exec or --agent");
  if (goesOn && isAgentAsked) throw contradiction("A conversation keeps the agent that it began with: leave out --agent");
  const { record, replay } = values;
  if (record !== undefined && replay !== undefined) throw contradiction("A replay is a recording already: give --record or --replay, not both");
  if (values.exec === true && (record ?? replay) !== undefined) throw contradiction("A command has no conversation to record or replay: leave out --exec, or --record and --replay");
  if (goesOn && replay !== undefined) throw contradiction("A replay is a conversation from its beginning: leave out --replay, or --continue and --resume");
  if (goesOn && values.ephemeral === true) throw contradiction("Going on with a conversation adds to it: leave out --ephemeral");
  if (values.background === true && values["output-last-message"] !== undefined) {
    throw contradiction('A run in the background writes no last message to a file: leave out --output-last-message, and use "agent wait ID > FILE"');
  }
  if (values.background === true && isBackgroundDisabled(io.env)) throw contradiction("AGENT_DISABLE_BACKGROUND_TASKS is set: leave out --background");
  if (values.background === true && values.ephemeral === true) throw contradiction("A run in the background that leaves no record could not be found again: leave out --background or --ephemeral");
}

function contradiction(text: string): AppError {
  return new AppError("usage", text, { code: "contradiction" });
}
