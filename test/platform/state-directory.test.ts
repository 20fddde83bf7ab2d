import { expect, spyOn, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openRuntimeDirectory, openStateDirectory } from "../../src/platform/state-directory.ts";
import { tempDir } from "../support/temp-dir.ts";
import { testState } from "../support/test-state.ts";
import { appErrorOf } from "../support/thrown.ts";

test("the state folder is created with its parents and subfolders, all for us alone", () => {
  using dir = tempDir();
  const path = join(dir.path, "a", "b", "state");
  const state = openStateDirectory({ state: path });
  expect(readdirSync(path).toSorted()).toEqual(["owners", "sessions", "tasks"]);
  for (const folder of ["..", ".", "owners", "sessions", "tasks"]) expect(statSync(join(path, folder)).mode & 0o777).toBe(0o700);
  state.close();
});

test.each([
  ["NFS", 0x6969],
  ["CIFS", 0xff534d42],
  ["CIFS", 0xff534d42 | 0],
  ["SMB 2", 0xfe534d42],
  ["SMB", 0x517b],
  ["AFS", 0x5346414f],
  ["AFS", 0x6b414653],
  ["Ceph", 0x00c36400],
])("a state folder on %s (type %i) is refused", async (name, type) => {
  using dir = tempDir();
  const error = await appErrorOf(() => openStateDirectory({ state: join(dir.path, "state") }, { statfs: () => ({ type }) }));
  expect(error.reason).toBe("storage");
  expect(error.message).toContain(name);
  expect(error.message).toContain("AGENT_STATE_DIR");
});

test.each([
  ["ext", 0xef53],
  ["tmpfs", 0x01021994],
  ["overlay", 0x794c7630],
  ["FUSE", 0x65735546],
])("a state folder on %s is accepted", (_name, type) => {
  using dir = tempDir();
  const state = openStateDirectory({ state: join(dir.path, "state") }, { statfs: () => ({ type }) });
  expect(readdirSync(state.path)).toHaveLength(3);
  state.close();
});

test("a subfolder that others may enter is refused, and no descriptor stays open", async () => {
  using dir = tempDir();
  const path = join(dir.path, "state");
  openStateDirectory({ state: path }).close();
  chmodSync(join(path, "tasks"), 0o777);
  const before = readdirSync("/proc/self/fd").length;
  const error = await appErrorOf(() => openStateDirectory({ state: path }));
  expect(error.message).toContain(join(path, "tasks"));
  expect(readdirSync("/proc/self/fd")).toHaveLength(before);
});

test("sockets go to the runtime folder, which is created in a folder of ours", () => {
  using state = testState();
  using dir = tempDir();
  const runtime = openRuntimeDirectory({ runtime: join(dir.path, "agent") }, state.directory);
  expect(runtime.path).toBe(join(dir.path, "agent"));
  expect(statSync(runtime.path).mode & 0o777).toBe(0o700);
  runtime.close();
});

test("sockets go below the state folder when the runtime folder is open to others", () => {
  using state = testState();
  using dir = tempDir();
  mkdirSync(join(dir.path, "agent"));
  chmodSync(join(dir.path, "agent"), 0o755);
  const runtime = openRuntimeDirectory({ runtime: join(dir.path, "agent") }, state.directory);
  expect(runtime.path).toBe(join(state.path, "run"));
  runtime.close();
});

test("no runtime folder is made where its parent is missing or another user's", () => {
  using state = testState();
  using dir = tempDir();
  openRuntimeDirectory({ runtime: join(dir.path, "none", "agent") }, state.directory).close();
  {
    using user = spyOn(process, "geteuid");
    user.mockReturnValue(statSync(dir.path).uid + 1);
    expect(() => openRuntimeDirectory({ runtime: join(dir.path, "agent") }, state.directory)).toThrow(state.path);
  }
  expect(readdirSync(dir.path)).toEqual([]);
});

test("sockets go below the state folder where no runtime folder is named", () => {
  using state = testState();
  const runtime = openRuntimeDirectory({ runtime: undefined }, state.directory);
  expect(runtime.path).toBe(join(state.path, "run"));
  expect(statSync(runtime.path).mode & 0o777).toBe(0o700);
  runtime.close();
});
