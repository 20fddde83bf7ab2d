import { mkdirSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, errorMessage } from "../core/errors.ts";
import { openPinnedDirectory, type PinnedDirectory } from "./pinned-directory.ts";
import type { StatePaths } from "./state-paths.ts";

/** The state folder and the folders in it, all private, checked and held open. */
export interface StateDirectory {
  readonly path: string;
  readonly root: PinnedDirectory;
  readonly tasks: PinnedDirectory;
  readonly sessions: PinnedDirectory;
  readonly owners: PinnedDirectory;
  close(): void;
}

/** Locks, and memory shared between processes, are not to be trusted on these. By the `f_type` that `statfs` gives. */
export const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB 2"],
  [0x517b, "SMB"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x00c36400, "Ceph"],
]);

/**
 * Opens the state folder and what belongs in it, creating what is missing.
 *
 * Throws an `AppError` of reason `storage` where a folder is not private to us, cannot be made, or lies on a network file
 * system.
 *
 * @param options.statfs for tests
 */
export function openStateDirectory(
  paths: Pick<StatePaths, "state">,
  options: { readonly statfs?: (path: string) => { readonly type: number } } = {},
): StateDirectory {
  const statfs = options.statfs ?? ((path: string) => statfsSync(path));
  // Closes what is open already where opening the rest fails.
  using opening = new DisposableStack();
  const keep = (directory: PinnedDirectory) => opening.adopt(directory, (opened) => opened.close());
  makeParents(paths.state);
  const root = keep(openPinnedDirectory(paths.state, { create: true }));
  refuseNetworkFileSystem(paths.state, statfs(paths.state).type);
  const subdirectory = (name: string) => keep(root.subdirectory(name, { create: true }));
  const [tasks, sessions, owners] = [subdirectory("tasks"), subdirectory("sessions"), subdirectory("owners")];
  const opened = opening.move();
  return { path: paths.state, root, tasks, sessions, owners, close: () => opened.dispose() };
}

/**
 * Opens the folder of control sockets: the runtime folder where it is private to us, or can be made so inside a folder of
 * ours; otherwise `run` in the state folder.
 */
export function openRuntimeDirectory(paths: Pick<StatePaths, "runtime">, state: StateDirectory): PinnedDirectory {
  if (paths.runtime !== undefined) {
    try {
      return openPinnedDirectory(paths.runtime, { create: isOurs(dirname(paths.runtime)) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return state.root.subdirectory("run", { create: true });
}

function makeParents(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new AppError("storage", `Cannot create the folder of "${path}": ${errorMessage(error)}; set AGENT_STATE_DIR to another place`, {
      cause: error,
    });
  }
}

function refuseNetworkFileSystem(path: string, type: number): void {
  const name = NETWORK_FILE_SYSTEMS.get(type >>> 0);
  if (name === undefined) return;
  throw new AppError(
    "storage",
    `Cannot keep state in "${path}": it is on a network file system (${name}); set AGENT_STATE_DIR to a folder on a local disk`,
    { code: "network_file_system" },
  );
}

/** A user's variables may survive a change of user: then the folder that they name is somebody else's. */
function isOurs(path: string): boolean {
  const user = process.geteuid?.();
  return user === undefined || statSync(path, { throwIfNoEntry: false })?.uid === user;
}
