import type { TaskId } from "./task.ts";

/**
 * The output files of a run's tasks, in the folder that was pinned when the run started. Offsets count the bytes that a
 * task printed, whether they are kept or not.
 */
export interface TaskOutputs {
  /** Where the file of a task is, for people and commands. */
  path(id: TaskId): string;
  /**
   * Creates the file of a task. Fails with EEXIST when anything stands there, whatever it is: the caller takes a new id.
   */
  create(id: TaskId): TaskOutputWriter;
  /** Makes the output of an agent a link to its transcript. EEXIST as `create`. */
  link(id: TaskId, target: string): void;
  /**
   * Opens what is kept of a task's output.
   *
   * Throws an `AppError`: `not_found` with code `no_output` when there is none, `storage` when it is none of ours.
   */
  read(id: TaskId): TaskOutputReader;
}

/**
 * Takes what one task prints. Its beginning is kept, and its end; what lies between is lost where the task prints more
 * than its quota, and so is everything after the outputs of the run have reached theirs. Never throws once created: the
 * first failure is remembered and the rest is lost.
 */
export interface TaskOutputWriter {
  /** Of bytes that hold whole characters of UTF-8 no character is cut. */
  write(bytes: Uint8Array): void;
  /** Bytes that are kept. */
  readonly bytesWritten: number;
  /** Bytes that are lost. */
  readonly bytesDropped: number;
  /** The first failure (`ENOSPC` …), as an `AppError` of reason `storage`. */
  readonly failure: Error | undefined;
  close(): void;
}

/** Reads what is kept of one task's output, while it grows and while its oldest parts may be going. */
export interface TaskOutputReader {
  /**
   * The next piece from an offset on. No character of UTF-8 is split: an incomplete one at the end of a piece is left for
   * the next, which begins with it. Only where nothing comes after it is it returned, alone.
   *
   * Throws the system's error.
   *
   * @param options.bytesMax at least four, the length of the longest character
   */
  read(options: { readonly offset: number; readonly bytesMax: number }): OutputChunk;
  /** What is kept now, in its order: the beginning, which may be empty, and what lies behind gaps. */
  stretches(): readonly [OutputStretch, ...OutputStretch[]];
  close(): void;
}

/** A piece of output. */
export interface OutputChunk {
  /** Empty at the end. */
  readonly data: Uint8Array;
  /** Where the piece begins: behind the offset that was asked for where bytes between them are lost. */
  readonly offset: number;
  /** Where the next piece begins. */
  readonly nextOffset: number;
  /** How many bytes are lost right before the piece. */
  readonly lostBytes: number;
  /** The output is shorter than the offset that was asked for: the file was cut, and reading began again at its start. */
  readonly isReset: boolean;
}

/** Bytes of an output without a gap. */
export interface OutputStretch {
  readonly start: number;
  readonly end: number;
  /** Reads from an offset in it on, and returns how many bytes were there. */
  readAt(bytes: Uint8Array, offset: number): number;
}
