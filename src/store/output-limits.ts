/** How the quota of one task's output is spent, in bytes. */
export interface OutputLimits {
  readonly headBytesMax: number;
  readonly tailBytesMax: number;
  /** The end is kept in files of this size; the oldest goes when there is no room for the next. */
  readonly segmentBytesMax: number;
}

const SEGMENT_BYTES_MAX = 8 * 1_048_576;
/** Below the largest quotas the end is kept in so many files: with fewer, more of it would go at once. */
const SEGMENTS_MIN = 4;
/** The longest character of UTF-8 finds room however small the quota is. */
const CHARACTER_BYTES_MAX = 4;

/** Half of a quota is for the beginning and half for the end, of which between three quarters and all is kept. */
export function outputLimits(bytesMax: number): OutputLimits {
  const headBytesMax = Math.floor(bytesMax / 2);
  const tailBytesMax = Math.max(CHARACTER_BYTES_MAX, bytesMax - headBytesMax);
  const segmentBytesMax = Math.min(SEGMENT_BYTES_MAX, Math.max(CHARACTER_BYTES_MAX, Math.floor(tailBytesMax / SEGMENTS_MIN)));
  return { headBytesMax, tailBytesMax, segmentBytesMax };
}
