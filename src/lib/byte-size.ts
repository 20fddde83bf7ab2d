const UNIT_BYTES: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1_024,
  kb: 1_000,
  kib: 1_024,
  m: 1_024 ** 2,
  mb: 1_000 ** 2,
  mib: 1_024 ** 2,
  g: 1_024 ** 3,
  gb: 1_000 ** 3,
  gib: 1_024 ** 3,
};

/** Bytes of a size as people write it: `1000`, `64KiB`, `1.5GB`, `10M`. Undefined when it is none. */
export function parseByteSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = UNIT_BYTES[match?.[2]?.toLowerCase() ?? "none"];
  if (match === null || unit === undefined) return undefined;
  const bytes = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** A size for people: `512 B`, `1.5 KiB`, `64 MiB`. */
export function formatByteSize(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit++;
  }
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${units[unit] ?? "B"}`;
}
