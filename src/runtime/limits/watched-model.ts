import type { ModelClient } from "../../model/client.ts";

/** A model of which every event is noticed; pings are none. */
export function watchedModel(model: ModelClient, onEvent: () => void): ModelClient {
  return {
    model: model.model,
    limits: model.limits,
    async *stream(request, signal, options) {
      for await (const event of model.stream(request, signal, options)) {
        onEvent();
        yield event;
      }
    },
  };
}
