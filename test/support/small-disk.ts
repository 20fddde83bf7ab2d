import { writeFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "./temp-dir.ts";

/** A file system of its own with little room, for whoever may mount one: the superuser. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Takes all room but for so many bytes. */
  fill(leaveBytes?: number): void;
  /** Gives back what `fill` took. */
  clear(): void;
}

/** @param options.size and `inodes` as mount(8) takes them for tmpfs */
export function smallDisk(options: { readonly size?: string; readonly inodes?: number }): SmallDisk {
  const directory = tempDir();
  const settings = ["mode=700", ...(options.size === undefined ? [] : [`size=${options.size}`]), ...(options.inodes === undefined ? [] : [`nr_inodes=${options.inodes}`])];
  run("mount", "-t", "tmpfs", "-o", settings.join(","), "tmpfs", directory.path);
  const filler = join(directory.path, "filler");
  return {
    path: directory.path,
    fill(leaveBytes = 0) {
      const { bavail, bsize } = statfsSync(directory.path);
      const bytes = Math.max(0, Math.floor((bavail * bsize - leaveBytes) / bsize) * bsize);
      writeFileSync(filler, Buffer.alloc(bytes));
    },
    clear: () => rmSync(filler, { force: true }),
    [Symbol.dispose]() {
      // Whoever still has a file open keeps the file system until it has ended, not its place.
      run("umount", "--lazy", directory.path);
      directory[Symbol.dispose]();
    },
  };
}

function run(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")} failed: ${stderr.toString()}`);
}
