import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { readTool } from "../../src/tools/read.ts";
import { agentContext, callTool, rule } from "../support/agent-context.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf, thrownBy } from "../support/thrown.ts";

test("lines are numbered, from a relative or an absolute path", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "a.txt"), "one\n\n  three\n");
  const context = agentContext(dir.path);
  const expected = "     1\tone\n     2\t\n     3\t  three";
  expect((await callTool(readTool, { file_path: "a.txt" }, context)).content).toBe(expected);
  expect((await callTool(readTool, { file_path: join(dir.path, "a.txt") }, context)).content).toBe(expected);
  expect(context.readFileState.get(join(dir.path, "a.txt"))?.isPartial).toBe(false);
});

test("a part of a file says what it is and how to read on, and counts as a part", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "long"), Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`).join("\n"));
  const context = agentContext(dir.path);
  const whole = (await callTool(readTool, { file_path: "long" }, context)).content.split("\n");
  expect(whole).toHaveLength(2_001);
  expect(whole.at(-1)).toBe("[Lines 1 to 2000 of 5000; read on with offset 2001]");
  expect(context.readFileState.get(join(dir.path, "long"))?.isPartial).toBe(true);
  expect((await callTool(readTool, { file_path: "long", offset: 4_999, limit: 10 }, context)).content).toBe(
    "  4999\tline 4999\n  5000\tline 5000\n[Lines 4999 to 5000, the end of the file]",
  );
  expect((await callTool(readTool, { file_path: "long", offset: 6_000 }, context)).content).toBe("[The file has 5000 lines, none from line 6000 on]");
});

test("one enormous line is clipped and the rest of the file is there (A11)", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "min.js"), `${"é".repeat(120_000)}\nnext\n`);
  const { content } = await callTool(readTool, { file_path: "min.js" }, agentContext(dir.path));
  expect(content.length).toBeLessThan(2_300);
  expect(content).toContain("[118000 more characters]\n     2\tnext\n[Lines were clipped at 2000 characters");
});

test("a result stays below the limit in bytes and says where to read on (A11)", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "wide"), `${"界".repeat(1_000)}\n`.repeat(500));
  const { content } = await callTool(readTool, { file_path: "wide" }, agentContext(dir.path));
  expect(Buffer.byteLength(content)).toBeLessThan(readTool.maxResultBytes);
  expect(content).toMatch(/\[Lines 1 to (\d+) of 500; read on with offset \d+\]$/);
});

test.each([
  ["UTF-8 with a byte-order mark", Buffer.from("\ufeffgrüße\r\nb\r\n")],
  ["UTF-16LE", Buffer.from("\ufeffgrüße\r\nb\r\n", "utf16le")],
  ["UTF-16BE", Buffer.from("\ufeffgrüße\r\nb\r\n", "utf16le").swap16()],
])("%s is shown as clean text (A107)", async (_what, bytes) => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "a"), bytes);
  expect((await callTool(readTool, { file_path: "a" }, agentContext(dir.path))).content).toBe("     1\tgrüße\n     2\tb");
});

test("an empty file is said to be empty", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "empty"), "");
  expect((await callTool(readTool, { file_path: "empty" }, agentContext(dir.path))).content).toBe("[The file is empty]");
});

test("what is no readable file is refused at once with what it is (V-196)", async () => {
  using dir = tempDir();
  const at = (name: string) => join(dir.path, name);
  mkdirSync(at("dir"));
  Bun.spawnSync(["mkfifo", at("fifo")]);
  writeFileSync(at("sparse"), "");
  truncateSync(at("sparse"), 10 * 1_024 ** 3);
  writeFileSync(at("binary"), Buffer.from("a\0b"));
  symlinkSync("/dev/zero", at("zero"));
  const server = createServer().listen(at("socket"));
  const context = agentContext(dir.path, { mode: "bypassPermissions" });
  const messageFor = async (name: string) => (await appErrorOf(() => callTool(readTool, { file_path: name }, context))).message;
  expect(await messageFor("dir")).toContain("it is a directory");
  expect(await messageFor("fifo")).toContain("it is a named pipe");
  expect(await messageFor("sparse")).toContain("larger than 50 MiB");
  expect(await messageFor("binary")).toContain("it is a binary file");
  expect(await messageFor("zero")).toContain('"/dev/zero": it is a device');
  expect(await messageFor("socket")).toContain("it is a socket");
  expect(await messageFor("absent")).toContain("it does not exist");
  expect(await messageFor("binary/x")).toContain("a part of the path is a file");
  expect(await messageFor("n".repeat(256))).toContain("a name in it is too long");
  server.close();
});

test("a path outside is refused, also through a link and past a sibling with the same beginning (V-189, V-190)", async () => {
  using dir = tempDir();
  mkdirSync(join(dir.path, "proj"));
  mkdirSync(join(dir.path, "proj-evil"));
  writeFileSync(join(dir.path, "proj-evil/a"), "secret");
  symlinkSync("../proj-evil", join(dir.path, "proj/link"));
  const context = agentContext(join(dir.path, "proj"));
  for (const path of ["../proj-evil/a", "link/a", join(dir.path, "proj-evil/a"), `/proc/self/root${dir.path}/proj-evil/a`]) {
    expect(String(await thrownBy(() => callTool(readTool, { file_path: path }, context)))).toContain("outside the working directories");
  }
});

test("a link that was put in place after the decision leads to a refusal (A67)", async () => {
  using dir = tempDir();
  using outside = tempDir();
  writeFileSync(join(outside.path, "a"), "secret");
  const context = agentContext(dir.path);
  symlinkSync(outside.path, join(dir.path, "d"));
  const call = { toolUseId: "toolu_1", signal: new AbortController().signal };
  expect(String(await thrownBy(() => readTool.call({ file_path: "d/a" }, context, call)))).toContain("outside the working directories");
});

test("no mode shows the environment of a process (V-195)", async () => {
  using dir = tempDir();
  const context = agentContext(dir.path, { mode: "bypassPermissions", rules: [rule("allow", "Read")] });
  for (const path of ["/proc/self/environ", `/proc/${process.pid}/environ`, `/proc/self/task/${process.pid}/environ`, "/proc/self/root/proc/self/environ"]) {
    expect(String(await thrownBy(() => callTool(readTool, { file_path: path }, context)))).toContain("the inside of a process");
  }
});
