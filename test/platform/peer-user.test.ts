import { expect, test } from "bun:test";
import { connect } from "node:net";
import { join } from "node:path";
import { listenForLines } from "../../src/platform/control-listener.ts";
import { isTrustedUser, peerUser } from "../../src/platform/peer-user.ts";
import { tempDir } from "../support/temp-dir.ts";

/** What a client gets back for one line: undefined where the connection is closed without an answer. */
function ask(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path, () => socket.write("{}\n"));
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString()));
    socket.on("error", () => resolve(undefined));
    socket.on("close", () => resolve(answer === "" ? undefined : answer));
  });
}

test("the kernel says who asks", async () => {
  using dir = tempDir();
  const path = join(dir.path, "s");
  const seen: (number | undefined)[] = [];
  const listener = listenForLines(path, async () => "yes", (fd) => {
    seen.push(peerUser(fd));
    return seen.at(-1);
  });
  expect(await ask(path)).toContain("yes");
  expect(seen).toEqual([process.geteuid?.()]);
  await listener.stop();
});

test("nobody else gets an answer", async () => {
  using dir = tempDir();
  const path = join(dir.path, "s");
  let asked = 0;
  const listener = listenForLines(path, async () => ++asked, () => 65_534);
  expect(await ask(path)).toBeUndefined();
  expect(asked).toBe(0);
  await listener.stop();
});

test.each([
  [1_000, 1_000, true],
  [0, 1_000, true],
  [1_001, 1_000, false],
  [65_534, 0, false],
  [undefined, 1_000, true],
])("user %p may ask user %p: %p", (uid, ourUid, isTrusted) => {
  expect(isTrustedUser(uid, ourUid)).toBe(isTrusted);
});
