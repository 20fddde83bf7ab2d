import { homedir, tmpdir } from "node:os";
import type { CassetteUse } from "../../core/cassette.ts";
import type { RunParams } from "../run-params.ts";
import type { RunPlaces } from "./loose-text.ts";
import { createRecording } from "./recording.ts";
import { createReplay } from "./replay.ts";
import type { RunCassette } from "./run-cassette.ts";

/**
 * Opens the cassette of a run before anything else of the run is.
 *
 * Throws an `AppError`: as `openCassetteFile` where the run is to be recorded, as `readCassette` where it is a replay, and
 * `usage` for a recording that cannot be replayed.
 */
export function openCassette({ mode, path }: CassetteUse, { request, env }: RunParams): RunCassette {
  const places: RunPlaces = { cwd: request.cwd, home: env["HOME"] ?? homedir(), tmp: env["TMPDIR"] ?? tmpdir() };
  if (mode === "replay") return createReplay({ path, places, env });
  return createRecording({ path, places, env, isResumed: request.work.type === "agent" && request.work.resume !== undefined });
}
