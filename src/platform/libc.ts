import { dlopen, read } from "bun:ffi";
import { AppError, errorMessage } from "../core/errors.ts";
import { once } from "../lib/once.ts";

/** System calls that the runtime does not offer. Like in C they return -1 on failure; `errno` says why, right after it. */
export interface Libc {
  flock(fd: number, operation: number): number;
  dup2(from: number, to: number): number;
  /** Fills in the read end and the write end. */
  pipe(ends: Int32Array): number;
  errno(): number;
}

/** System calls of Linux alone. */
export interface LinuxLibc {
  prctl(option: number, argument: bigint, third: bigint, fourth: bigint, fifth: bigint): number;
  /** Fills in the soft and the hard limit. */
  getrlimit(resource: number, limits: BigUint64Array): number;
  setrlimit(resource: number, limits: BigUint64Array): number;
  /** Returns the pid that was collected, and 0 where there is nothing to collect yet. */
  waitpid(pid: number, status: Int32Array, options: number): number;
  /** As `pipe`, with flags as of `open`. */
  pipe2(ends: Int32Array, flags: number): number;
  /** Fills in the value and its length. */
  getsockopt(fd: number, level: number, name: number, value: Uint32Array, length: Uint32Array): number;
  /** The process group that a terminal belongs to right now; fails where the terminal is not the one of this process. */
  tcgetpgrp(fd: number): number;
  getpgrp(): number;
  /** Throws away what waits in a queue of a terminal. */
  tcflush(fd: number, queue: number): number;
  /** A request that fills in a buffer. */
  ioctl(fd: number, request: bigint, buffer: Uint16Array): number;
}

/** Loaded at the first use. Throws an `AppError` of reason `storage` where the platform has no such library. */
export const libc: () => Libc = once(() => loadFirst(load));

/** Loaded at the first use. Throws an `AppError` of reason `storage` on every other platform. */
export const linuxLibc: () => LinuxLibc = once(() => loadFirst(loadLinux));

/** The C library under the names of glibc, musl and macOS. */
const LIBRARY_NAMES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1", "libSystem.B.dylib"];

function loadFirst<Symbols>(open: (name: string) => Symbols): Symbols {
  let failure: unknown;
  for (const name of LIBRARY_NAMES) {
    try {
      return open(name);
    } catch (error) {
      failure = error;
    }
  }
  throw new AppError(
    "storage",
    `Cannot call the system on this platform (${process.platform}): no C library was found: ${errorMessage(failure)}`,
    { code: "unsupported_platform", cause: failure },
  );
}

function loadLinux(name: string): LinuxLibc {
  return dlopen(name, {
    prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
    getrlimit: { args: ["i32", "ptr"], returns: "i32" },
    setrlimit: { args: ["i32", "ptr"], returns: "i32" },
    waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" },
    pipe2: { args: ["ptr", "i32"], returns: "i32" },
    getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
    tcgetpgrp: { args: ["i32"], returns: "i32" },
    getpgrp: { args: [], returns: "i32" },
    tcflush: { args: ["i32", "i32"], returns: "i32" },
    ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" },
  }).symbols;
}

function load(name: string): Libc {
  const { flock, dup2, pipe } = dlopen(name, {
    flock: { args: ["i32", "i32"], returns: "i32" },
    dup2: { args: ["i32", "i32"], returns: "i32" },
    pipe: { args: ["ptr"], returns: "i32" },
  }).symbols;
  const errnoAddress = name.endsWith(".dylib")
    ? dlopen(name, { __error: { args: [], returns: "ptr" } }).symbols.__error
    : dlopen(name, { __errno_location: { args: [], returns: "ptr" } }).symbols.__errno_location;
  return {
    flock,
    dup2,
    pipe,
    errno() {
      const address = errnoAddress();
      return address === null ? 0 : read.i32(address, 0);
    },
  };
}
