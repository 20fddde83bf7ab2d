import { describe, expect, test } from "bun:test";
import { chmodSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCassetteFile } from "../../../src/runtime/cassette/cassette-file.ts";
import { readCassette } from "../../../src/runtime/cassette/read-cassette.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { appErrorOf } from "../../support/thrown.ts";

const HEADER = { v: 1, type: "cassette", ts: 1, program: "0", cwd: "/a", home: "/b", tmp: "/c" };
const RANDOM = { agent: "root", type: "random", value: 0.5, ts: 2 };
const text = (...lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

describe("recording to a file", () => {
  test("makes it for its user alone, line by line", () => {
    using directory = tempDir();
    const path = join(directory.path, "t.cassette");
    const file = openCassetteFile(path, HEADER);
    file.append(RANDOM);
    expect(readFileSync(path, "utf8")).toBe(text(HEADER, RANDOM));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    file.close();
  });

  test.each([["a cassette", text(HEADER, RANDOM)], ["a cassette of later", text({ v: 9, type: "cassette" })], ["nothing", ""]])("replaces %s", (_what, content) => {
    using directory = tempDir();
    const path = join(directory.path, "t.cassette");
    writeFileSync(path, content);
    chmodSync(path, 0o644);
    openCassetteFile(path, HEADER).close();
    expect(readFileSync(path, "utf8")).toBe(text(HEADER));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test.each([["text", "hello\n"], ["JSON", '{"type":"other"}\n'], ["a line without end", '{"type":"cassette"']])("leaves a file with %s alone", async (_what, content) => {
    using directory = tempDir();
    const path = join(directory.path, "notes.txt");
    writeFileSync(path, content);
    expect(await appErrorOf(() => openCassetteFile(path, HEADER))).toMatchObject({ reason: "usage" });
    expect(readFileSync(path, "utf8")).toBe(content);
  });

  test("follows no link, and opens no directory or pipe", async () => {
    using directory = tempDir();
    const target = join(directory.path, "target");
    writeFileSync(target, text(HEADER));
    for (const name of ["link", "dangling"]) symlinkSync(name === "link" ? target : join(directory.path, "none"), join(directory.path, name));
    mkdirSync(join(directory.path, "folder"));
    Bun.spawnSync(["mkfifo", join(directory.path, "pipe")]);
    for (const name of ["link", "dangling", "folder", "pipe"]) {
      expect({ name, error: await appErrorOf(() => openCassetteFile(join(directory.path, name), HEADER)) }).toMatchObject({ name, error: { reason: "usage" } });
    }
    expect(readFileSync(target, "utf8")).toBe(text(HEADER));
  });

  test("is refused while another run records there, by any name", async () => {
    using directory = tempDir();
    const path = join(directory.path, "t.cassette");
    const file = openCassetteFile(path, HEADER);
    linkSync(path, join(directory.path, "same"));
    expect(await appErrorOf(() => openCassetteFile(join(directory.path, "same"), HEADER))).toMatchObject({ reason: "conflict" });
    file.close();
    openCassetteFile(path, HEADER).close();
  });

  test("fails where the folder is missing", async () => {
    expect(await appErrorOf(() => openCassetteFile("/nonexistent/t.cassette", HEADER))).toMatchObject({ reason: "storage", code: "ENOENT" });
  });
});

describe("reading", () => {
  const read = (content: string) => {
    using directory = tempDir();
    const path = join(directory.path, "t.cassette");
    writeFileSync(path, content);
    return readCassette(path);
  };

  test("leaves out a last line that was cut off", () => {
    expect(read(`${text(HEADER, RANDOM)}{"agent":"ro`)).toMatchObject({ lines: [{ type: "random", value: 0.5 }], end: undefined });
  });

  test.each([
    ["it is no cassette", "hello\n"],
    ["it is no cassette", ""],
    ["it is no cassette", '{"v":1,"type":"other"}\n'],
    ["it is of version 2, and this build reads version 1", text({ ...HEADER, v: 2 }, { type: "new" })],
    ["line 1 is damaged at cwd", text({ ...HEADER, cwd: 5 })],
    ["line 2 is damaged", `${text(HEADER)}{"agent":"root"\n${text(RANDOM)}`],
    ["line 3 is damaged at type", text(HEADER, RANDOM, { agent: "root", type: "unheard-of", ts: 1 })],
    ["line 2 is damaged at events.0.type", text(HEADER, { agent: "root", type: "reply", events: [{ type: "x" }], ts: 1 })],
  ])("says that %s", async (problem, content) => {
    const error = await appErrorOf(() => read(content));
    expect(error).toMatchObject({ reason: "usage" });
    expect(String(error)).toContain(problem);
  });

  test("says that there is none", async () => {
    expect(await appErrorOf(() => readCassette("/nonexistent/t.cassette"))).toMatchObject({ reason: "usage", code: "bad_cassette" });
  });
});
