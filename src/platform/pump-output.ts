import { wholeCharactersLength } from "../lib/whole-characters.ts";
import type { PipeReader } from "./pipe.ts";

/** Carries what a process writes to both its pipes into one place. */
export interface OutputPump {
  /** Resolves when both pipes have ended or were closed and all that was read has been handed on. */
  readonly ended: Promise<void>;
  /** When something arrived last, or the pump was started; by the clock of `performance.now()`. */
  readonly lastReadAt: () => number;
  /** Stops reading although somebody may still write. */
  close(): Promise<void>;
}

/** How long the first bytes of a character wait for the rest. */
const HOLD_MS = 50;
/** A flood must not keep the other work of this process waiting: after so much of it, everything else gets its turn. */
const TURN_BYTES_MAX = 256 * 1_024;

/** Takes bytes before it returns, or before its promise resolves. Never throws. */
export type OutputSink = (bytes: Uint8Array) => void | Promise<void>;

/**
 * Hands on the bytes of all `readers` unchanged as they arrive, but never half a character of UTF-8 where the other half
 * comes soon: another stream's bytes would get between. A sink that returns a promise slows the writing process down.
 */
export function pumpOutput(readers: readonly PipeReader[], sink: OutputSink): OutputPump {
  let lastReadAt = performance.now();

  async function pump(reader: PipeReader): Promise<void> {
    const whole = createCharacterHold(sink);
    let turnBytes = 0;
    for (let bytes = await reader.read(); bytes !== undefined; bytes = await reader.read()) {
      lastReadAt = performance.now();
      const taken = whole.write(bytes);
      if (taken !== undefined) await taken;
      turnBytes += bytes.length;
      if (turnBytes < TURN_BYTES_MAX) continue;
      turnBytes = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await whole.flush();
  }

  return {
    ended: Promise.all(readers.map(pump)).then(() => undefined),
    lastReadAt: () => lastReadAt,
    close: async () => void (await Promise.all(readers.map((reader) => reader.close()))),
  };
}

interface CharacterHold {
  write(bytes: Uint8Array): void | Promise<void>;
  flush(): void | Promise<void>;
}

/** Holds back an incomplete character at the end until it is whole, time is up, or it is flushed. */
function createCharacterHold(sink: OutputSink): CharacterHold {
  let held: Uint8Array = new Uint8Array(0);
  let timer: Timer | undefined;

  function flush(): void | Promise<void> {
    clearTimeout(timer);
    const bytes = held;
    held = new Uint8Array(0);
    return bytes.length === 0 ? undefined : sink(bytes);
  }

  return {
    write(bytes) {
      clearTimeout(timer);
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const end = wholeCharactersLength(all);
      held = all.slice(end);
      if (held.length > 0) timer = setTimeout(() => void flush(), HOLD_MS);
      return end === 0 ? undefined : sink(all.subarray(0, end));
    },
    flush,
  };
}
