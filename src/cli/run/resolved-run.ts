import type { RunRequest } from "../../runtime/run-request.ts";

/** A run as the command line asks for it, and how its user wants to be told. */
export interface ResolvedRun {
  readonly request: RunRequest;
  readonly format: "text" | "json" | "stream-json";
  readonly lastMessageFile: string | undefined;
  readonly verbosity: "quiet" | "normal" | "verbose";
  readonly hasColor: boolean;
}
