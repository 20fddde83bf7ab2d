import { linuxLibc } from "./libc.ts";

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;

/** The user at the other end of a Unix socket, as the kernel knows it; undefined where it does not say. */
export function peerUser(socketFd: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  // pid, uid, gid
  const credentials = new Uint32Array(3);
  const length = new Uint32Array([credentials.byteLength]);
  return linuxLibc().getsockopt(socketFd, SOL_SOCKET, SO_PEERCRED, credentials, length) === 0 ? credentials[1] : undefined;
}

/** Whether a user may ask us for something: we ourselves, and who can do everything anyway. */
export function isTrustedUser(uid: number | undefined, ourUid = process.geteuid?.()): boolean {
  return uid === undefined || ourUid === undefined || uid === ourUid || uid === 0;
}
