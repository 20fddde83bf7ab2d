import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemErrorCode } from "../../src/core/errors.ts";
import { openTaskOutputs } from "../../src/store/task-output.ts";
import { RACED_IDS } from "./raced-ids.ts";
import { ROOT } from "./source-tree.ts";
import { tempDir } from "./temp-dir.ts";
import { testState } from "./test-state.ts";

/** What became of outputs that were made while somebody else got in the way. */
export interface RaceOutcome {
  readonly made: number;
  /** Something stood in the way, and was left alone. */
  readonly refused: number;
  /** Made where the other side wanted them. */
  readonly trapped: number;
  readonly isVictimUnchanged: boolean;
  /** Anything but what was written, or a refusal, came back from a reader. */
  readonly misread: number;
}

/** Makes, reads and removes so many outputs against a process that plants links, pipes and folders; see test/fixtures/plant-files.ts. */
export async function raceOutputs(count: number): Promise<RaceOutcome> {
  using state = testState();
  using elsewhere = tempDir();
  const [trap, victim] = [join(elsewhere.path, "trap"), join(elsewhere.path, "victim")];
  writeFileSync(victim, "precious");
  Bun.spawnSync(["mkdir", trap]);
  Bun.spawnSync(["mkfifo", join(state.path, "pipe")]);
  const planter = Bun.spawn([process.execPath, join(ROOT, "test", "fixtures", "plant-files.ts"), state.path, trap, victim], { stdout: "pipe", stderr: "inherit" });
  try {
    await planter.stdout.getReader().read();
    return { ...(await makeOutputs(count, state.directory)), trapped: readdirSync(trap).length, isVictimUnchanged: readFileSync(victim, "utf8") === "precious" };
  } finally {
    planter.kill("SIGKILL");
    await planter.exited;
    // What the planter was about to put back must not keep the folder from being removed.
    rmSync(join(state.path, "pipe"), { force: true });
  }
}

async function makeOutputs(count: number, directory: Parameters<typeof openTaskOutputs>[0]) {
  const outputs = openTaskOutputs(directory, { bytesMax: 64 });
  let [made, refused, misread] = [0, 0, 0];
  for (let round = 0; made + refused < count; round++) {
    const id = RACED_IDS[round % RACED_IDS.length] ?? RACED_IDS[0];
    if (id === undefined) throw new Error("There are no ids");
    const text = `output ${round} `.repeat(10);
    try {
      const writer = outputs.create(id);
      writer.write(Buffer.from(text));
      writer.close();
      made++;
      const reader = outputs.read(id);
      if (!text.startsWith(Buffer.from(reader.read({ offset: 0, bytesMax: 100 }).data.subarray(0, 32)).toString())) misread++;
      reader.close();
    } catch (error) {
      // Whatever stands there by now, it is either named as none of ours or gone.
      if (systemErrorCode(error) === "EEXIST") refused++;
      else if (!(error instanceof AppError)) throw error;
    }
    for (const name of readdirSync(directory.tasks.entries).filter((each) => each.startsWith(id))) removeQuietly(directory.tasks.entry(name));
    if (round % 100 === 0) await Bun.sleep(0);
  }
  return { made, refused, misread };
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The other side changed what it was in between.
  }
}
