/** What an agent knows of files it has read or written, by real path. */
export interface ReadFileState {
  get(realPath: string): ReadFileEntry | undefined;
  set(realPath: string, entry: ReadFileEntry): void;
  readonly size: number;
  /** The real paths that were read or written last, the newest first. */
  recent(count: number): readonly string[];
  /** An independent copy: what a subagent reads must not count as read by its parent. */
  clone(): ReadFileState;
}

export interface ReadFileEntry {
  /** SHA-256 of the whole file's bytes. Content decides whether a file changed, not its time stamp. */
  readonly contentHash: string;
  /** Whether the model saw only a part of the file. */
  readonly isPartial: boolean;
}

/** The most files that are remembered; the one unused for longest goes first. */
const READ_FILE_STATE_ENTRIES_MAX = 1_000;

export function createReadFileState(entries: Iterable<readonly [string, ReadFileEntry]> = []): ReadFileState {
  const byPath = new Map(entries);
  return {
    get(realPath) {
      const entry = byPath.get(realPath);
      if (entry !== undefined) touch(byPath, realPath, entry);
      return entry;
    },
    set(realPath, entry) {
      touch(byPath, realPath, entry);
      if (byPath.size > READ_FILE_STATE_ENTRIES_MAX) {
        const [oldest] = byPath.keys();
        if (oldest !== undefined) byPath.delete(oldest);
      }
    },
    get size() {
      return byPath.size;
    },
    recent: (count) => [...byPath.keys()].slice(-count).toReversed(),
    clone: () => createReadFileState(byPath),
  };
}

/** A Map keeps insertion order, so putting an entry in again makes it the newest. */
function touch(byPath: Map<string, ReadFileEntry>, realPath: string, entry: ReadFileEntry): void {
  byPath.delete(realPath);
  byPath.set(realPath, entry);
}
