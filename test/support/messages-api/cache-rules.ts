import { isRecord } from "../../../src/lib/is-record.ts";
import { firstFault, invalid, type Fault } from "./fault.ts";
import { ttlOf, type PromptBlock } from "./prompt-blocks.ts";

const BREAKPOINTS_MAX = 4;

/** Why the service refuses where a request marks its prefixes for the cache. */
export function cacheFault(blocks: readonly PromptBlock[]): Fault | undefined {
  const marks = blocks.map(({ mark }) => mark).filter((mark) => mark !== undefined);
  if (marks.length > BREAKPOINTS_MAX) return invalid(`A maximum of ${BREAKPOINTS_MAX} blocks with cache_control may be provided. Found ${marks.length}.`);
  return firstFault(marks.entries(), ([index, mark]) => {
    if (!isRecord(mark) || mark["type"] !== "ephemeral") return invalid("cache_control.type: Input should be 'ephemeral'");
    const { ttl } = mark;
    if (ttl !== undefined && ttl !== "5m" && ttl !== "1h") return invalid("cache_control.ephemeral.ttl: Input should be '5m' or '1h'");
    const isLate = ttl === "1h" && marks.slice(0, index).some((earlier) => ttlOf(earlier) === "5m");
    return isLate ? invalid("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block") : undefined;
  });
}
