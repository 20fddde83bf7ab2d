/**
 * How long a service asks to wait, in milliseconds, from `retry-after-ms` or else `retry-after` (seconds, or a date).
 * Undefined where it does not say, and for zero, negative and unreadable values: then our own back-off applies.
 *
 * @param now milliseconds since the epoch, for dates
 */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const milliseconds = positiveNumber(headers.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const retryAfter = headers.get("retry-after");
  if (retryAfter === null) return undefined;
  const seconds = positiveNumber(retryAfter);
  if (seconds !== undefined) return seconds * 1_000;
  // A date has letters in it. Without that check "-1" would be read as a year.
  const date = /[a-z]/i.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  return date > now ? date - now : undefined;
}

function positiveNumber(text: string | null): number | undefined {
  const number = text === null || text.trim() === "" ? Number.NaN : Number(text);
  return number > 0 && Number.isFinite(number) ? number : undefined;
}
