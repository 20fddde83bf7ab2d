import { existsSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../../core/errors.ts";
import { openPinnedDirectory, type PinnedDirectory } from "../../platform/pinned-directory.ts";
import { isOwnerAlive } from "../../store/is-owner-alive.ts";
import { LEDGER_NAME, openLedgerDatabase } from "../../store/ledger-database.ts";
import { ledgerReads, type LedgerReads } from "../../store/ledger-reads.ts";
import type { Check } from "./check.ts";

/** The record of all tasks, and whether the owners of those that run are alive. Cleans nothing up. */
export function ledgerChecks(stateFolder: string): Check[] {
  if (!existsSync(join(stateFolder, LEDGER_NAME))) {
    return [{ name: "ledger", status: "ok", message: "nothing was recorded yet" }];
  }
  try {
    return checkRecords(stateFolder);
  } catch (error) {
    return [{ name: "ledger", status: "fail", message: errorMessage(error), advice: BROKEN_ADVICE }];
  }
}

const BROKEN_ADVICE = "move the ledger and the two files beside it away; outputs and sessions stay where they are";

function checkRecords(stateFolder: string): Check[] {
  const directory = openPinnedDirectory(stateFolder, { create: false });
  try {
    const database = openLedgerDatabase(directory, { create: false });
    try {
      const damage = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get()?.quick_check;
      if (damage !== "ok") return [{ name: "ledger", status: "fail", message: `It is damaged: ${damage ?? "it cannot be checked"}`, advice: BROKEN_ADVICE }];
      return [{ name: "ledger", status: "ok", message: `"${directory.path}/${LEDGER_NAME}" is sound` }, ownersCheck(ledgerReads(database), directory)];
    } finally {
      database.close();
    }
  } finally {
    directory.close();
  }
}

function ownersCheck(reads: LedgerReads, directory: PinnedDirectory): Check {
  const name = "lost runs";
  const runs = reads.liveRuns();
  const lost = runs.length === 0 ? 0 : countLost(runs.map(({ runId }) => runId), directory);
  if (lost === 0) return { name, status: "ok", message: `${runs.length} running, each with its process` };
  return {
    name,
    status: "warn",
    message: `${lost} of ${runs.length} running: the process is gone`,
    advice: 'run "agent ps", which records them as failed and ends what they left behind',
  };
}

function countLost(runIds: readonly string[], directory: PinnedDirectory): number {
  const owners = directory.subdirectory("owners", { create: false });
  try {
    return runIds.filter((runId) => !isOwnerAlive(owners, runId)).length;
  } finally {
    owners.close();
  }
}
