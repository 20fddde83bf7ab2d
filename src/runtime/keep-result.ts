import { createHash, randomUUID } from "node:crypto";
import { storePayload } from "../store/store-payload.ts";
import type { OpenRun } from "./open-run.ts";

/**
 * Keeps a result that is too large for a conversation in a file of the session; resolves to its path. The id is the
 * service's, or a compatible server's: it does not become a part of a path as it is.
 */
export async function keepResult(toolUseId: string, content: string, { session, storage }: OpenRun): Promise<string> {
  const name = `${createHash("sha256").update(toolUseId).digest("hex").slice(0, 16)}-${randomUUID().slice(0, 8)}.txt`;
  return await storage.run(() => storePayload(session.results, name, content));
}
