import type { ModelClient } from "./client.ts";

/**
 * Lets conversations that begin with the same long prefix ask one after the other at first: the service can read a prefix
 * from its cache once the reply to the request that brought it there has begun.
 */
export interface PrefixGate {
  /** A client whose first request waits, or is what the others wait for. */
  pass(model: ModelClient): ModelClient;
}

export function createPrefixGate(): PrefixGate {
  let opened: Promise<void> | undefined;

  return {
    pass(model) {
      let isFirst = true;
      return {
        ...model,
        async *stream(request, signal, options) {
          const hasToPass = isFirst;
          isFirst = false;
          if (!hasToPass) yield* model.stream(request, signal, options);
          else if (opened === undefined) {
            const opening = Promise.withResolvers<void>();
            opened = opening.promise;
            yield* opensWith(model.stream(request, signal, options), opening.resolve);
          } else {
            await openOrAborted(opened, signal);
            yield* model.stream(request, signal, options);
          }
        },
      };
    },
  };
}

/** Opens with the first event; and where there is none, for then somebody else may try. */
async function* opensWith<Event>(events: AsyncIterable<Event>, open: () => void): AsyncGenerator<Event> {
  try {
    for await (const event of events) {
      open();
      yield event;
    }
  } finally {
    open();
  }
}

/** The request that follows says what an abort means. */
async function openOrAborted(opened: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  const onAbort = () => aborted.resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  await Promise.race([opened, aborted.promise]);
  signal.removeEventListener("abort", onAbort);
}
