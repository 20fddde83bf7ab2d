import { expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createReadFileState } from "../../src/core/read-file-state.ts";
import { editTool } from "../../src/tools/edit.ts";
import { readTool } from "../../src/tools/read.ts";
import { agentContext, callTool } from "../support/agent-context.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf } from "../support/thrown.ts";

async function readAndEdit(cwd: string, path: string, oldText: string, newText: string, context = agentContext(cwd)): Promise<string> {
  await callTool(readTool, { file_path: path }, context);
  return (await callTool(editTool, { file_path: path, old_string: oldText, new_string: newText }, context)).content;
}

test("the result names the file, the number of replacements and the lines around the first", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "a.ts"), "1\n2\n3\n4\n5\n6\n7\n");
  expect(await readAndEdit(dir.path, "a.ts", "4\n", "four\nfive\n")).toBe(
    "Edited a.ts: 1 replacement\n     2\t2\n     3\t3\n     4\tfour\n     5\tfive\n     6\t5\n     7\t6\n     8\t7",
  );
  const context = agentContext(dir.path);
  await callTool(readTool, { file_path: "a.ts" }, context);
  const all = await callTool(editTool, { file_path: "a.ts", old_string: "\n", new_string: ";\n", replace_all: true }, context);
  expect(all.content).toStartWith("Edited a.ts: 8 replacements\n");
  expect(readFileSync(join(dir.path, "a.ts"), "utf8")).toBe("1;\n2;\n3;\nfour;\nfive;\n5;\n6;\n7;\n");
});

test.each([
  ["UTF-8", Buffer.from("a\r\ngrüße\r\nz"), Buffer.from("a\r\nGRÜSSE\r\n🎉\r\nz")],
  ["UTF-8 with a byte-order mark", Buffer.from("\ufeffa\r\ngrüße\r\nz"), Buffer.from("\ufeffa\r\nGRÜSSE\r\n🎉\r\nz")],
  ["UTF-16LE", Buffer.from("\ufeffa\r\ngrüße\r\nz", "utf16le"), Buffer.from("\ufeffa\r\nGRÜSSE\r\n🎉\r\nz", "utf16le")],
  ["UTF-16BE", Buffer.from("\ufeffa\r\ngrüße\r\nz", "utf16le").swap16(), Buffer.from("\ufeffa\r\nGRÜSSE\r\n🎉\r\nz", "utf16le").swap16()],
])("%s keeps its encoding, its mark and its line ends (A106, A107)", async (_what, before, after) => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "a"), before);
  await readAndEdit(dir.path, "a", "grüße\n", "GRÜSSE\n🎉\n");
  expect(readFileSync(join(dir.path, "a")).toString("hex")).toBe(after.toString("hex"));
});

test("bytes of an unknown 8-bit encoding stay as they are, and what it lacks is refused (A107)", async () => {
  using dir = tempDir();
  const path = join(dir.path, "a");
  writeFileSync(path, Uint8Array.of(0xe4, 0x0a, 0x62, 0x0a, 0x80));
  await readAndEdit(dir.path, "a", "b", "c");
  expect([...readFileSync(path)]).toEqual([0xe4, 0x0a, 0x63, 0x0a, 0x80]);
  expect((await appErrorOf(() => readAndEdit(dir.path, "a", "c", "–"))).message).toContain("it is not UTF-8");
  expect([...readFileSync(path)]).toEqual([0xe4, 0x0a, 0x63, 0x0a, 0x80]);
});

test("a file that was not read, or only by another agent, is refused (A110, S-037, S-039)", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "a"), "x");
  const parent = agentContext(dir.path);
  const child = { ...agentContext(dir.path), readFileState: parent.readFileState.clone() };
  await callTool(readTool, { file_path: "a" }, child);
  const edit = { file_path: "a", old_string: "x", new_string: "y" };
  expect((await appErrorOf(() => callTool(editTool, edit, parent))).message).toContain("it has not been read yet; read it first");
  const grandchild = { ...agentContext(dir.path), readFileState: child.readFileState.clone() };
  expect((await callTool(editTool, edit, grandchild)).content).toContain("1 replacement");
});

test("work done since the file was read is never overwritten, even with the same size and time (A110, V-202)", async () => {
  using dir = tempDir();
  const path = join(dir.path, "a");
  writeFileSync(path, "x = 1\n");
  const { atime, mtime } = statSync(path);
  const context = agentContext(dir.path);
  await callTool(readTool, { file_path: "a" }, context);
  writeFileSync(path, "x = 2\n");
  utimesSync(path, atime, mtime);
  const error = await appErrorOf(() => callTool(editTool, { file_path: "a", old_string: "x", new_string: "y" }, context));
  expect(error.message).toContain("it changed since you read it; read it again");
  expect(readFileSync(path, "utf8")).toBe("x = 2\n");
});

test("one agent's edits follow each other without reading again, also when only the time changed (A110)", async () => {
  using dir = tempDir();
  const path = join(dir.path, "a");
  writeFileSync(path, "one two");
  const context = agentContext(dir.path);
  await readAndEdit(dir.path, "a", "one", "1", context);
  utimesSync(path, 1, 1);
  await callTool(editTool, { file_path: "a", old_string: "two", new_string: "2" }, context);
  expect(readFileSync(path, "utf8")).toBe("1 2");
});

test("two agents of a session do not undo each other's edits (A110)", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "a"), "one two");
  const [first, second] = [agentContext(dir.path), agentContext(dir.path)];
  await callTool(readTool, { file_path: "a" }, first);
  await callTool(readTool, { file_path: "a" }, second);
  const results = await Promise.allSettled([
    callTool(editTool, { file_path: "a", old_string: "one", new_string: "1" }, first),
    callTool(editTool, { file_path: "a", old_string: "two", new_string: "2" }, second),
  ]);
  expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected"]);
  expect(readFileSync(join(dir.path, "a"), "utf8")).toBe("1 two");
});

test("errors say what to do about them, and nothing is written", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "a"), "f() {\n    g();\n}\nf() {\n");
  const messageFor = async (oldText: string, newText = "new") =>
    (await appErrorOf(() => readAndEdit(dir.path, "a", oldText, newText))).message;
  expect(await messageFor("f() {")).toContain("occurs 2 times; add lines around it, or set replace_all");
  expect(await messageFor("  g();\n  }")).toContain("its first line occurs in line 2, so compare indentation");
  expect(await messageFor("absent")).toContain("does not occur in it; read the file again");
  expect(await messageFor("")).toContain("empty old_string");
  expect(await messageFor("f", "f")).toContain("the same");
  expect(readFileSync(join(dir.path, "a"), "utf8")).toBe("f() {\n    g();\n}\nf() {\n");
});

test("an edit through links changes the target and keeps the links (A108, A109)", async () => {
  using dir = tempDir();
  mkdirSync(join(dir.path, "real/inner"), { recursive: true });
  writeFileSync(join(dir.path, "real/settings.json"), "old");
  symlinkSync("real/inner", join(dir.path, "linked"));
  symlinkSync("../settings.json", join(dir.path, "real/inner/leaf.json"));
  expect(await readAndEdit(dir.path, "linked/leaf.json", "old", "new")).toContain("Edited real/settings.json");
  expect(readFileSync(join(dir.path, "real/settings.json"), "utf8")).toBe("new");
  expect(readlinkSync(join(dir.path, "real/inner/leaf.json"))).toBe("../settings.json");
  expect(readlinkSync(join(dir.path, "linked"))).toBe("real/inner");
});

test("a hard link stays one, and mode, set-id bits, owner and group stay (A108)", async () => {
  using dir = tempDir();
  const path = join(dir.path, "a");
  writeFileSync(path, "old");
  linkSync(path, join(dir.path, "b"));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(path, 1, 2);
  chmodSync(path, 0o6755);
  const before = statSync(path);
  await readAndEdit(dir.path, "a", "old", "new and longer");
  const after = statSync(path);
  expect(readFileSync(join(dir.path, "b"), "utf8")).toBe("new and longer");
  expect({ ino: after.ino, nlink: after.nlink, mode: after.mode, uid: after.uid, gid: after.gid }).toEqual({
    ino: before.ino,
    nlink: 2,
    mode: before.mode,
    uid: before.uid,
    gid: before.gid,
  });
});

test("a file in a directory that cannot be written is edited (A108)", async () => {
  using dir = tempDir();
  mkdirSync(join(dir.path, "d"));
  writeFileSync(join(dir.path, "d/a"), "old", { mode: 0o600 });
  chmodSync(join(dir.path, "d"), 0o555);
  await readAndEdit(dir.path, "d/a", "old", "new");
  chmodSync(join(dir.path, "d"), 0o755);
  expect(readFileSync(join(dir.path, "d/a"), "utf8")).toBe("new");
  expect(lstatSync(join(dir.path, "d/a")).mode & 0o777).toBe(0o600);
});

test("a read-only file is refused with its real path (A108)", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "target"), "old", { mode: 0o444 });
  symlinkSync("target", join(dir.path, "link"));
  const error = await appErrorOf(() => readAndEdit(dir.path, "link", "old", "new"));
  expect(error.message).toBe(`Cannot write "${join(dir.path, "target")}": the file is read-only (mode 444)`);
  expect(readFileSync(join(dir.path, "target"), "utf8")).toBe("old");
});

test("a file of which a part was read may be edited, and a part is all that is known afterwards", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "a"), "1\n2\n3\n");
  const context = { ...agentContext(dir.path), readFileState: createReadFileState() };
  await callTool(readTool, { file_path: "a", limit: 1 }, context);
  await callTool(editTool, { file_path: "a", old_string: "3", new_string: "three" }, context);
  expect(context.readFileState.get(join(dir.path, "a"))?.isPartial).toBe(true);
});
