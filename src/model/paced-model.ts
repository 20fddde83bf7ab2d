import type { Semaphore } from "../lib/semaphore.ts";
import { ModelError, type ModelClient } from "./client.ts";

/**
 * A client whose requests wait for their turn, so that all agents of a run together ask for no more replies at once than
 * is allowed. Where the service limits, they become fewer by half; where it answers, more again, one by one.
 *
 * @param placesMax how many replies may stream at once at the most
 */
export function pacedModel(model: ModelClient, pace: Semaphore, placesMax: number): ModelClient {
  return {
    ...model,
    async *stream(request, signal, options) {
      const release = await enter(pace, signal);
      // Many requests that meet one limit together make them fewer once.
      const placesThen = pace.places;
      try {
        yield* model.stream(request, signal, options);
        if (pace.places < placesMax) pace.resize(pace.places + 1);
      } catch (error) {
        if (error instanceof ModelError && isLimit(error)) pace.resize(Math.min(pace.places, Math.ceil(placesThen / 2)));
        throw error;
      } finally {
        release();
      }
    },
  };
}

async function enter(pace: Semaphore, signal: AbortSignal): Promise<() => void> {
  try {
    return await pace.acquire(signal);
  } catch (cause) {
    throw new ModelError("aborted", "The request was stopped", { cause });
  }
}

function isLimit({ class: errorClass, status }: ModelError): boolean {
  return errorClass === "rate_limit" || status === 529;
}
