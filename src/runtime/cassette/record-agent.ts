import type { QueryParams } from "../../agent/loop-params.ts";
import { runToolCalls } from "../../agent/run-tool-calls.ts";
import { AppError } from "../../core/errors.ts";
import type { ModelClient } from "../../model/client.ts";
import { runStopOf } from "../run-request.ts";
import type { TapeLine } from "./cassette-line.ts";
import { recordCalls } from "./record-calls.ts";
import { recordInput } from "./record-input.ts";
import { recordModel } from "./record-model.ts";
import type { Redactor } from "./redact.ts";
import type { AgentTape, TapedAgent } from "./run-cassette.ts";

/** Records what an agent gets from outside its loop, in the order in which it gets it. */
export function recordAgent({ agent, write, redactor }: { readonly agent: TapedAgent; readonly write: (line: TapeLine) => void; readonly redactor: Redactor }): AgentTape {
  const { signal } = agent.controller;
  const stopped = () => write({ type: "stop", scope: "run", ...runStopOf(signal.reason) });
  if (signal.aborted) stopped();
  signal.addEventListener("abort", stopped, { once: true });

  async function open(name: string, openModel: () => Promise<ModelClient>): Promise<ModelClient> {
    try {
      const model = await openModel();
      write({ type: "model", model: model.model, limits: model.limits });
      return model;
    } catch (error) {
      if (error instanceof AppError) write({ type: "model", model: name, error: { reason: error.reason, code: error.code, message: error.message } });
      throw error;
    }
  }

  function loop(params: QueryParams): QueryParams {
    const wrapModel = recordModel({ write, redactor });
    const { fallbacks, keepResult, workingState, answer, random = Math.random } = params;
    return {
      ...params,
      model: wrapModel(params.model),
      ...(fallbacks === undefined ? {} : { fallbacks: fallbacks.map((fallback) => async () => wrapModel(await fallback())) }),
      input: recordInput(params.input, { write, isStopped: () => signal.aborted }),
      runCalls: recordCalls(params.runCalls ?? runToolCalls, write),
      ...(keepResult === undefined
        ? {}
        : {
            async keepResult(toolUseId: string, content: string) {
              const path = await keepResult(toolUseId, content);
              write({ type: "kept", path });
              return path;
            },
          }),
      workingState() {
        const state = workingState();
        write({ type: "state", state });
        return state;
      },
      ...(answer === undefined
        ? {}
        : {
            answer() {
              const text = answer();
              if (text !== undefined) write({ type: "answer", text });
              return text;
            },
          }),
      random() {
        const value = random();
        write({ type: "random", value });
        return value;
      },
    };
  }

  return { host: agent.host, openModel: open, input: (input) => recordInput(input, { write, isStopped: () => signal.aborted }), loop };
}
