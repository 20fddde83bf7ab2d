import { createHash } from "node:crypto";

/** The name of a run's control socket: short, because the path of a socket may have hardly more than 100 bytes. */
export function controlSocketName(runId: string): string {
  return `${createHash("sha256").update(runId).digest("hex").slice(0, 16)}.sock`;
}
