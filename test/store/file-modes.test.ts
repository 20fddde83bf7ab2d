import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../support/temp-dir.ts";

test.each(["000", "022", "077"])("every folder is 0700 and every file 0600 under umask %s", async (umask) => {
  using dir = tempDir();
  const path = join(dir.path, "state");
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../fixtures/create-files.ts"), path, umask], { stderr: "inherit" });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");

  const entries = readdirSync(path, { recursive: true, encoding: "utf8" });
  const modes = entries.map((entry) => {
    const stat = statSync(join(path, entry));
    return `${entry} ${stat.isDirectory() ? "folder" : "file"} ${(stat.mode & 0o777).toString(8)}`;
  });
  expect(modes.toSorted()).toEqual(
    [
      "ledger.db file 600",
      "ledger.db-shm file 600",
      "ledger.db-wal file 600",
      "owners folder 700",
      "sessions folder 700",
      "sessions/session-1 folder 700",
      "sessions/session-1/events folder 700",
      "sessions/session-1/events/run-1.ndjson file 600",
      "sessions/session-1/results folder 700",
      "sessions/session-1/run-1.log file 600",
      "sessions/session-1/subagents folder 700",
      "sessions/session-1/transcript.jsonl file 600",
      "tasks folder 700",
      "tasks/b00000000.output file 600",
    ].toSorted(),
  );
});
