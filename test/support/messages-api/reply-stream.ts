import { abortableSleep } from "../../../src/lib/abortable-sleep.ts";
import type { BreakOff } from "./answer.ts";
import { pingFrame, type Frame } from "./event-frames.ts";

/** What was written has to arrive before a reset throws away what is under way. */
const RESET_DELAY_MS = 20;

export interface StreamOptions {
  readonly breakOff?: BreakOff | undefined;
  /** Ends delays and stalls. */
  readonly stopped: AbortSignal;
  readonly onFirstByte: () => void;
  /** Called once, whoever ends the stream. */
  readonly onEnd: () => void;
}

/** A body that is written frame by frame, as fast as the client reads, and ends as it was told. */
export function replyStream(frames: readonly Frame[], { breakOff, stopped, onFirstByte, onEnd }: StreamOptions): ReadableStream<Uint8Array> {
  const kept = breakOff === undefined ? frames : cutFrames(frames, breakOff);
  const closed = new AbortController();
  const over = AbortSignal.any([stopped, closed.signal]);
  let next = 0;
  over.addEventListener("abort", onEnd, { once: true });
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const frame = kept[next++];
      if (frame !== undefined) {
        if (frame.delayMs > 0) await abortableSleep(frame.delayMs, over);
        if (over.aborted) return;
        controller.enqueue(frame.bytes);
        if (next === 1) onFirstByte();
        return;
      }
      if (breakOff?.how === "stall") await stall(controller, breakOff.pingEveryMs, over);
      if (breakOff?.how === "reset") await abortableSleep(RESET_DELAY_MS, over);
      if (over.aborted) return;
      // Without a reason nothing is written to the stderr of the test.
      if (breakOff?.how === "reset") controller.error(undefined);
      else controller.close();
      closed.abort();
    },
    cancel: () => closed.abort(),
  });
}

/** A body that is reset before anything of the response was sent. */
export function resetStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.error(undefined) });
}

async function stall(controller: ReadableStreamDefaultController<Uint8Array>, pingEveryMs: number | undefined, over: AbortSignal): Promise<void> {
  const pings = pingEveryMs === undefined ? undefined : setInterval(() => controller.enqueue(pingFrame().bytes), pingEveryMs);
  await new Promise<void>((resolve) => {
    if (over.aborted) resolve();
    over.addEventListener("abort", () => resolve(), { once: true });
  });
  clearInterval(pings);
}

/** Headers go out with the first byte only; of a body that holds none they need one, which means nothing in either form. */
const LINE_FEED: Frame = { bytes: new Uint8Array([10]), delayMs: 0 };

function cutFrames(frames: readonly Frame[], { how, atByte = Infinity, afterEvents = Infinity }: BreakOff): readonly Frame[] {
  const kept: Frame[] = [];
  let left = atByte;
  for (const frame of frames.slice(0, afterEvents)) {
    if (left <= 0) break;
    kept.push({ ...frame, bytes: frame.bytes.slice(0, left) });
    left -= frame.bytes.length;
  }
  return kept.length === 0 && how !== "end" ? [LINE_FEED] : kept;
}
