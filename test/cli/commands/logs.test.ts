import { describe, expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { openTaskOutputs } from "../../../src/store/task-output.ts";
import { commandState } from "../../support/command-state.ts";
import { startRunOwner } from "../../support/run-owner.ts";
import { waitFor } from "../../support/wait-for.ts";

describe("logs of a shell", () => {
  test("are its output, byte by byte", async () => {
    using state = commandState();
    await state.add("b00000001");
    const bytes = new Uint8Array([0x61, 0x00, 0xff, 0x1b, 0x5b, 0x0a]);
    state.output("b00000001", bytes);
    await state.end("b00000001", "ok");
    const { io, ended } = state.start(["logs", "b00000001"]);
    expect((await ended).code).toBe(0);
    expect([...io.stdout.bytes]).toEqual([...bytes]);
  });

  test("on a terminal keep their colors and nothing else that a terminal acts on", async () => {
    using state = commandState();
    await state.add("b00000001");
    state.output("b00000001", "\u001b[31mred\u001b[0m\u001b]0;owned\u0007\n");
    await state.end("b00000001", "ok");
    const { ended } = state.start(["logs", "b00000001"], { isStdoutTty: true });
    expect((await ended).stdout).toBe("\u001b[31mred\u001b[0m\n\u001b[0m");
  });

  test("begin at an offset or with the last lines, and say where to go on", async () => {
    using state = commandState();
    await state.add("b00000001");
    const write = state.output("b00000001", "one\ntwo\n");
    expect(await state.run("logs", "--offset", "4", "--show-offset", "b00000001")).toEqual({ code: 0, stdout: "two\n", stderr: "next offset: 8\n" });
    expect(await state.run("logs", "--offset", "8", "--show-offset", "b00000001")).toEqual({ code: 0, stdout: "", stderr: "next offset: 8\n" });
    write("three\n");
    expect((await state.run("logs", "--tail", "2", "b00000001")).stdout).toBe("two\nthree\n");
    expect(await state.run("logs", "--offset", "99", "b00000001")).toMatchObject({ code: 2, stdout: "" });
    expect(await state.run("logs", "--offset", "1", "--tail", "1", "b00000001")).toMatchObject({ code: 2 });
    expect(await state.run("logs", "--tail", "-1", "b00000001")).toMatchObject({ code: 2 });
  });

  test("-f goes on until the task has ended and everything is printed", async () => {
    using state = commandState();
    await state.add("b00000001");
    const write = state.output("b00000001", "one\n");
    const { io, ended } = state.start(["logs", "-f", "b00000001"]);
    await waitFor(() => io.stdout.text === "one\n");
    write("two\n");
    await waitFor(() => io.stdout.text === "one\ntwo\n");
    write("three\n");
    await state.end("b00000001", "ok");
    expect(await ended).toEqual({ code: 0, stdout: "one\ntwo\nthree\n", stderr: "" });
  });

  test("-f never prints a part of a character while its rest may come", async () => {
    using state = commandState();
    await state.add("b00000001");
    const smile = Buffer.from("😀");
    const write = state.output("b00000001", smile.subarray(0, 2));
    const { io, ended } = state.start(["logs", "-f", "--json", "b00000001"]);
    await waitFor(async () => (await state.run("logs", "b00000001")).stdout === "");
    write(Buffer.concat([smile.subarray(2), Buffer.from("!")]));
    await waitFor(() => io.stdout.text !== "");
    await state.end("b00000001", "ok");
    expect((await ended).stdout).toBe('{"offset":0,"next_offset":5,"data":"😀!"}\n');
  });

  test("-f ends when the owner of the task is killed", async () => {
    using state = commandState();
    await using owner = await startRunOwner(state.path);
    const { io, ended } = state.start(["logs", "-f", "b00000000"]);
    await waitFor(() => io.stdout.text === "first line\n");
    await owner.kill();
    expect(await ended).toEqual({ code: 0, stdout: "first line\n", stderr: "" });
  });

  test("-f ends with 141 when the reader has gone", async () => {
    using state = commandState();
    await state.add("b00000001");
    state.output("b00000001", "one\n");
    const { io, ended } = state.start(["logs", "-f", "b00000001"]);
    await waitFor(() => io.stdout.text === "one\n");
    io.stdout.close();
    expect((await ended).code).toBe(141);
  });

  test("a long output is whole, and as JSON its pieces join without a gap", async () => {
    using state = commandState();
    await state.add("b00000001");
    const text = "äöü😀 line\n".repeat(20_000);
    state.output("b00000001", text);
    await state.end("b00000001", "ok");
    expect((await state.run("logs", "b00000001")).stdout).toBe(text);
    const pieces = (await state.run("logs", "--json", "b00000001")).stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    expect(pieces.map((piece) => piece.data).join("")).toBe(text);
    expect(pieces.slice(1).map((piece) => piece.offset)).toEqual(pieces.slice(0, -1).map((piece) => piece.next_offset));
  });

  test("of a task that wrote nothing yet are empty, of one that ended without output 7", async () => {
    using state = commandState();
    await state.add("b00000001");
    expect(await state.run("logs", "b00000001")).toEqual({ code: 0, stdout: "", stderr: "" });
    await state.end("b00000001", "failed");
    expect(await state.run("logs", "b00000001")).toMatchObject({ code: 7, stdout: "" });
    expect(await state.run("logs")).toMatchObject({ code: 2 });
  });
});

describe("logs of an agent", () => {
  async function agent(state: ReturnType<typeof commandState>) {
    const task = await state.add("a00000001", { type: "local_agent", detail: { transcriptPath: "x" } });
    return state.transcript(task);
  }

  test("are its transcript for people; --json has the lines as they are", async () => {
    using state = commandState();
    const transcript = await agent(state);
    transcript.append({ type: "user", message: { role: "user", content: [{ type: "text", text: "Say hi" }] } });
    const last = transcript.append({ type: "assistant", message: { role: "assistant", content: [{ type: "text", text: "hi" }] } });
    expect((await state.run("logs", "a00000001")).stdout).toBe("[user]\nSay hi\n\n[assistant]\nhi\n\n");
    expect((await state.run("logs", "--tail", "1", "a00000001")).stdout).toBe("[assistant]\nhi\n\n");
    const lines = (await state.run("logs", "--json", "a00000001")).stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[1] ?? "")).toEqual(JSON.parse(JSON.stringify(last)));
  });

  test("an offset inside a line goes on with the next one", async () => {
    using state = commandState();
    const transcript = await agent(state);
    transcript.append({ type: "user", message: { role: "user", content: [{ type: "text", text: "one" }] } });
    transcript.append({ type: "user", message: { role: "user", content: [{ type: "text", text: "two" }] } });
    expect((await state.run("logs", "--offset", "5", "a00000001")).stdout).toBe("[user]\ntwo\n\n");
  });

  test("-f shows each message when it is there", async () => {
    using state = commandState();
    const transcript = await agent(state);
    const { io, ended } = state.start(["logs", "-f", "a00000001"]);
    for (const text of ["one", "two"]) {
      transcript.append({ type: "assistant", message: { role: "assistant", content: [{ type: "text", text }] } });
      await waitFor(() => io.stdout.text.endsWith(`[assistant]\n${text}\n\n`));
    }
    await state.end("a00000001", "ok");
    expect((await ended).stdout).toBe("[assistant]\none\n\n[assistant]\ntwo\n\n");
  });
});

describe("logs of a shell that printed more than is kept", () => {
  /** Prints `0123456789` again and again into a quota of 64 bytes, and records what became of it. */
  async function flooded(state: ReturnType<typeof commandState>, pieces: number) {
    const task = await state.add("b00000001");
    const writer = openTaskOutputs(state.directory, { bytesMax: 64 }).create(task.id);
    for (let piece = 0; piece < pieces; piece++) writer.write(Buffer.from("0123456789"));
    const end = async () => {
      writer.close();
      const { bytesWritten, bytesDropped } = writer;
      await state.end("b00000001", "ok", { detail: { bytesWritten, bytesDropped } });
    };
    return { writer, end };
  }

  test("tell exactly where how many bytes are lost; stdout has only the output", async () => {
    using state = commandState();
    const { end } = await flooded(state, 20);
    await end();
    const { code, stdout, stderr } = await state.run("logs", "--show-offset", "b00000001");
    const [, lost = "", from = "", to = ""] = /^agent: (\d+) bytes are lost here, from byte (\d+) to byte (\d+)\nnext offset: 200\n$/.exec(stderr) ?? [];
    expect([code, Number(lost), from]).toEqual([0, 200 - stdout.length, "32"]);
    expect(Number(to) - 32).toBe(Number(lost));
    const printed = "0123456789".repeat(20);
    expect(stdout).toBe(printed.slice(0, 32) + printed.slice(Number(to)));
  });

  test("as JSON have the number with the piece behind the gap", async () => {
    using state = commandState();
    await flooded(state, 20).then(({ end }) => end());
    const pieces = (await state.run("logs", "--json", "b00000001")).stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    expect(pieces).toHaveLength(2);
    expect(pieces[0]).toEqual({ offset: 0, next_offset: 32, data: "0123456789".repeat(4).slice(0, 32) });
    expect(pieces[1]).toMatchObject({ next_offset: 200, lost_bytes: pieces[1].offset - 32 });
  });

  test("begin anywhere, also in what is lost, and at the very end", async () => {
    using state = commandState();
    await flooded(state, 20).then(({ end }) => end());
    const { stdout, stderr } = await state.run("logs", "--offset", "100", "b00000001");
    expect(stderr).toMatch(/^agent: \d+ bytes are lost here, from byte 100 to byte 1\d\d\n$/);
    expect("0123456789".repeat(20)).toEndWith(stdout);
    expect(await state.run("logs", "--offset", "195", "b00000001")).toEqual({ code: 0, stdout: "56789", stderr: "" });
    expect(await state.run("logs", "--offset", "200", "b00000001")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await state.run("logs", "--offset", "201", "b00000001")).toMatchObject({ code: 2, stderr: 'agent: Cannot begin at byte 201: the output has 200 bytes\n' });
  });

  test("--tail finds the last lines behind the gap", async () => {
    using state = commandState();
    const { writer, end } = await flooded(state, 20);
    writer.write(Buffer.from("\none\ntwo\n"));
    await end();
    expect((await state.run("logs", "--tail", "2", "b00000001")).stdout).toBe("one\ntwo\n");
  });

  test("-f resumes at an offset, and misses nothing of what is kept", async () => {
    using state = commandState();
    const { writer, end } = await flooded(state, 3);
    const { io, ended } = state.start(["logs", "-f", "--offset", "10", "b00000001"]);
    await waitFor(() => io.stdout.text.length === 20);
    for (let piece = 0; piece < 3; piece++) {
      writer.write(Buffer.from("abcdefghij"));
      await waitFor(() => io.stdout.text.endsWith("abcdefghij".repeat(piece + 1)));
    }
    await end();
    expect(await ended).toEqual({ code: 0, stdout: "0123456789".repeat(2) + "abcdefghij".repeat(3), stderr: "" });
  });

  test("what is lost at the end is told as well, and nothing comes behind it", async () => {
    using state = commandState();
    const task = await state.add("b00000001");
    const writer = openTaskOutputs(state.directory, { bytesMax: 1_000, runBytesMax: 10 }).create(task.id);
    writer.write(Buffer.from("0123456789abcdef"));
    writer.close();
    await state.end("b00000001", "ok", { detail: { bytesWritten: writer.bytesWritten, bytesDropped: writer.bytesDropped } });
    const note = "agent: 6 bytes are lost here, from byte 10 to byte 16\n";
    expect(await state.run("logs", "b00000001")).toEqual({ code: 0, stdout: "0123456789", stderr: note });
    expect((await state.run("logs", "--json", "b00000001")).stdout.trimEnd().split("\n").at(-1)).toBe('{"offset":16,"next_offset":16,"data":"","lost_bytes":6}');
    expect((await state.run("logs", "--offset", "16", "b00000001")).stderr).toBe("");
  });

  test("-f says when the file became shorter and begins again", async () => {
    using state = commandState();
    await state.add("b00000001");
    const write = state.output("b00000001", "a first output\n");
    const { io, ended } = state.start(["logs", "-f", "b00000001"]);
    await waitFor(() => io.stdout.text === "a first output\n");
    truncateSync(join(state.path, "tasks", "b00000001.output"), 0);
    await waitFor(() => io.stderr.text !== "");
    write("new\n");
    await waitFor(() => io.stdout.text.endsWith("new\n"));
    await state.end("b00000001", "ok");
    expect(await ended).toEqual({ code: 0, stdout: "a first output\nnew\n", stderr: "agent: The output has become shorter: what follows is its beginning again\n" });
  });
});
