import { messageText, type Message } from "../core/message.ts";
import { abortableSleep } from "../lib/abortable-sleep.ts";
import { ModelError, type ModelClient, type ModelEvent, type ModelRequest } from "./client.ts";
import { shapeFault } from "./conversation-shape.ts";
import { scriptDifference } from "./script-difference.ts";
import { modelLimits, type ModelLimits } from "./model-limits.ts";
import { DEMO_SCRIPT } from "./model-name.ts";
import { FIX_SCRIPT, WELCOME_SCRIPT } from "./scripted-demo.ts";
import { scriptedReply } from "./scripted-reply.ts";
import { readScript, type Script, type ScriptTurn } from "./scripted-script.ts";
import { serviceError } from "./service-error.ts";

/**
 * The embedded model: streams what its script says, as the service would, and refuses a conversation that the script
 * does not expect with `ModelError` of class `script`.
 *
 * @param model how the user named it
 * @param script `demo`, or the absolute path of a script
 */
export function openScriptedModel(model: string, script: string): ModelClient {
  const limits = modelLimits(model);
  if (script === DEMO_SCRIPT) return createScriptedModel(model, limits, demoScriptFor);
  const read = readScript(script);
  const { contextTokens = limits.contextTokens, outputTokensMax = limits.outputTokensMax } = read;
  return createScriptedModel(model, { contextTokens, outputTokensMax }, () => read);
}

function demoScriptFor(request: ModelRequest): Script {
  const [prompt] = request.messages;
  return prompt !== undefined && messageText(prompt).includes("test") ? FIX_SCRIPT : WELCOME_SCRIPT;
}

function createScriptedModel(model: string, limits: ModelLimits, scriptFor: (request: ModelRequest) => Script): ModelClient {
  const failuresByTurn = new Map<ScriptTurn, number>();
  return {
    model,
    limits,
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      const turn = findTurn(model, scriptFor(request), request);
      await abortableSleep(turn.delayMs ?? 0, signal);
      stopIfAborted(signal);
      failIfScripted(model, turn, failuresByTurn);
      for (const event of scriptedReply(turn, request)) {
        yield event;
        stopIfAborted(signal);
      }
    },
  };
}

function findTurn(model: string, script: Script, request: ModelRequest): ScriptTurn {
  const fault = shapeFault(request.messages);
  if (fault !== undefined) throw new ModelError("script", `Cannot answer as "${model}": ${fault}`);
  const index = countReplies(request.messages);
  const turn = script.turns[index] ?? (script.repeatLast === true ? script.turns.at(-1) : undefined);
  if (turn === undefined) {
    const message = `Cannot answer as "${model}": turn ${index + 1} was asked for, the script has ${script.turns.length}`;
    throw new ModelError("script", message);
  }
  const difference = turn.expect === undefined ? undefined : scriptDifference(turn.expect, request);
  if (difference === undefined) return turn;
  throw new ModelError("script", `Cannot answer as "${model}": the conversation differs from turns[${index}].expect.${difference}`);
}

function countReplies(messages: readonly Message[]): number {
  return messages.filter((message) => message.role === "assistant").length;
}

function failIfScripted(model: string, turn: ScriptTurn, failuresByTurn: Map<ScriptTurn, number>): void {
  if (turn.error === undefined) return;
  const { times = Number.POSITIVE_INFINITY, ...failure } = turn.error;
  const failures = failuresByTurn.get(turn) ?? 0;
  if (failures >= times) return;
  failuresByTurn.set(turn, failures + 1);
  throw serviceError(model, failure);
}

function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError("aborted", "The request was stopped", { cause: signal.reason });
}
