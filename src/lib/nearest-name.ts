/**
 * The candidate that was most likely meant, or undefined when none is near: at most two edits, and fewer than half the
 * letters of a short word.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(name, candidate);
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  if (best === undefined) return undefined;
  return best.distance <= Math.min(2, Math.ceil(name.length / 2) - 1) || best.candidate.startsWith(name) ? best.candidate : undefined;
}

/** Edits to turn one word into the other, where swapping two neighbors is one edit. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let distance = Math.min((last[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitution);
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) distance = Math.min(distance, (beforeLast[j - 2] ?? 0) + 1);
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
