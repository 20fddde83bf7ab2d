import { expect, test } from "bun:test";
import { existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { editTool } from "../../src/tools/edit.ts";
import { readTool } from "../../src/tools/read.ts";
import { writeTool } from "../../src/tools/write.ts";
import { agentContext, callTool } from "../support/agent-context.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf, thrownBy } from "../support/thrown.ts";

async function readAndWrite(cwd: string, path: string, content: string): Promise<string> {
  const context = agentContext(cwd);
  await callTool(readTool, { file_path: path }, context);
  return (await callTool(writeTool, { file_path: path, content }, context)).content;
}

test("a new file gets its directories, the mode of the umask, and counts as read", async () => {
  using dir = tempDir();
  const context = agentContext(dir.path);
  const result = await callTool(writeTool, { file_path: "new/deep/a.txt", content: "grüße\n" }, context);
  expect(result.content).toBe("Created new/deep/a.txt: 8 bytes");
  const path = join(dir.path, "new/deep/a.txt");
  expect(readFileSync(path, "utf8")).toBe("grüße\n");
  expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask());
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o777 & ~process.umask());
  await callTool(editTool, { file_path: path, old_string: "grüße", new_string: "x" }, context);
  await callTool(writeTool, { file_path: path, content: "y" }, context);
  expect(readFileSync(path, "utf8")).toBe("y");
});

test("a file that exists and was not read, not wholly read or changed since is not overwritten (A110)", async () => {
  using dir = tempDir();
  const path = join(dir.path, "a");
  writeFileSync(path, "1\n2\n");
  const context = agentContext(dir.path);
  const messageFor = async () => (await appErrorOf(() => callTool(writeTool, { file_path: "a", content: "x" }, context))).message;
  expect(await messageFor()).toContain("it has not been read yet; read it first");
  await callTool(readTool, { file_path: "a", limit: 1 }, context);
  expect(await messageFor()).toContain("only a part of it was read");
  await callTool(readTool, { file_path: "a" }, context);
  writeFileSync(path, "1\n3\n");
  expect(await messageFor()).toContain("it changed since you read it");
  expect(readFileSync(path, "utf8")).toBe("1\n3\n");
});

test.each([
  ["CRLF throughout", "a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"],
  ["CR throughout", "a\rb\r", "x\ny\n", "x\ry\r"],
  ["LF", "a\nb\n", "x\ny\n", "x\ny\n"],
  ["mixed ends", "a\r\nb\n", "x\ny\n", "x\ny\n"],
  ["CRLF, with content that brings its own ends", "a\r\n", "x\r\ny\n", "x\r\ny\n"],
])("line ends of an existing file are kept: %s (A106)", async (_what, before, content, after) => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "a"), before);
  const result = await readAndWrite(dir.path, "a", content);
  expect(readFileSync(join(dir.path, "a"), "utf8")).toBe(after);
  expect(result.includes("line ends were kept")).toBe(after !== content);
});

test.each([
  ["UTF-8 with a byte-order mark", Buffer.from("\ufeffold"), Buffer.from("\ufeffgrüße")],
  ["UTF-16LE", Buffer.from("\ufeffold", "utf16le"), Buffer.from("\ufeffgrüße", "utf16le")],
  ["UTF-16BE", Buffer.from("\ufeffold", "utf16le").swap16(), Buffer.from("\ufeffgrüße", "utf16le").swap16()],
])("encoding and mark of an existing file are kept: %s (A107)", async (_what, before, after) => {
  using dir = tempDir();
  for (const content of ["grüße", "\ufeffgrüße"]) {
    writeFileSync(join(dir.path, "a"), before);
    await readAndWrite(dir.path, "a", content);
    expect(readFileSync(join(dir.path, "a")).toString("hex")).toBe(after.toString("hex"));
  }
});

test("an existing file keeps inode, links and mode (A108)", async () => {
  using dir = tempDir();
  const path = join(dir.path, "run.sh");
  writeFileSync(path, "old and long", { mode: 0o755 });
  linkSync(path, join(dir.path, "hard"));
  symlinkSync("run.sh", join(dir.path, "soft"));
  await readAndWrite(dir.path, "soft", "new");
  expect(readFileSync(join(dir.path, "hard"), "utf8")).toBe("new");
  expect(statSync(path).mode & 0o777).toBe(0o755);
});

test("a write through a dangling link goes where the link leads, if that is inside (V-190)", async () => {
  using dir = tempDir();
  using outside = tempDir();
  symlinkSync("target", join(dir.path, "inside"));
  symlinkSync(join(outside.path, "target"), join(dir.path, "outside"));
  const context = agentContext(dir.path);
  expect((await callTool(writeTool, { file_path: "inside", content: "x" }, context)).content).toBe("Created target: 1 bytes");
  expect(String(await thrownBy(() => callTool(writeTool, { file_path: "outside", content: "x" }, context)))).toContain("outside the working directories");
  expect(existsSync(join(outside.path, "target"))).toBe(false);
});

test("what cannot be written is an error that names it", async () => {
  using dir = tempDir();
  mkdirSync(join(dir.path, "d"));
  writeFileSync(join(dir.path, "file"), "");
  const context = agentContext(dir.path);
  const messageFor = async (path: string) => (await appErrorOf(() => callTool(writeTool, { file_path: path, content: "x" }, context))).message;
  expect(await messageFor("d")).toContain(`"${join(dir.path, "d")}": it is a directory`);
  expect(await messageFor("file/x")).toContain("a part of the path is a file");
  expect(await messageFor("n".repeat(256))).toContain("a name in it is too long");
});
