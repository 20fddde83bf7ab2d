import { expect, test } from "bun:test";
import { carriesTrace, createProcessMarks, isHandedOver, markOf, newRunMark, type ProcessMarks } from "../../src/platform/process-mark.ts";
import { waitFor } from "../support/wait-for.ts";

const RUN = newRunMark("attached");
const before = limitOf(process.pid);
const marks = createdMarks();

function createdMarks(): ProcessMarks {
  const created = createProcessMarks(RUN);
  if (created === undefined) throw new Error("This system cannot mark processes");
  return created;
}

function limitOf(pid: number): string {
  const { stdout } = Bun.spawnSync(["grep", "realtime timeout", `/proc/${pid}/limits`]);
  return stdout.toString().replaceAll(/ +/g, " ").trim();
}

/** Starts a program that lives for a moment in a session of its own, with a mark. */
async function start(mark: string | undefined, argv: readonly string[] = ["sh", "-c", "echo $$; exec sleep 0.3"]): Promise<number> {
  const child = marks.around(() => Bun.spawn(["sh", "-c", 'setsid "$@" & wait', "sh", ...argv], { stdio: ["ignore", "pipe", "ignore"] }), mark);
  const { value } = await child.stdout.getReader().read();
  return Number(Buffer.from(value ?? []).toString());
}

test("children carry the mark through a new session, an emptied environment and exec; the process itself does not", async () => {
  const mark = marks.next();
  expect(mark).toBe(`${RUN}000001`);
  expect(markOf(await start(mark, ["env", "-i", "/bin/sh", "-c", "echo $$; exec /bin/sleep 0.3"]))).toBe(mark);
  expect(limitOf(process.pid)).toBe(before);
});

test("a process that is of no task carries the mark of the run", async () => {
  expect(markOf(await start(undefined))).toBe(`${RUN}000000`);
});

test("the hard limit stays as it is, so that whoever wants to may set the limit again", () => {
  const hard = before.split(" ").at(-2);
  const { stdout } = marks.around(() => Bun.spawnSync(["bash", "-c", "ulimit -H -R; ulimit -S -R unlimited; ulimit -S -R"]), marks.next());
  expect(stdout.toString()).toBe(`${hard}\n${hard}\n`);
});

test("each of three hundred tasks has a mark of its own", () => {
  const expected = Array.from({ length: 300 }, () => marks.next());
  const found = expected.map((mark) => marks.around(() => Bun.spawnSync(["bash", "-c", "ulimit -S -R"]).stdout.toString().trim(), mark));
  expect(found).toEqual(expected);
  expect(new Set(expected).size).toBe(300);
});

test("a mark is far above any time that a process could compute, and within what programs read as a number", () => {
  for (const random of [0, 10 ** 12 - 1]) {
    for (const kind of ["attached", "detached"] as const) {
      const mark = BigInt(`${newRunMark(kind, () => random)}999999`);
      expect(mark > 2n ** 60n && mark < 2n ** 63n).toBe(true);
    }
  }
});

test("when the start of a process fails, this process carries what it carried before", () => {
  const fail = () => {
    throw new Error("no such program");
  };
  expect(() => marks.around(fail)).toThrow("no such program");
  expect(limitOf(process.pid)).toBe(before);
});

test.each([
  ["does not tell the limit", { getrlimit: () => -1, setrlimit: () => 0 }],
  ["does not let it be set", { getrlimit: () => 0, setrlimit: () => -1 }],
  ["only pretends to set it", { getrlimit: () => 0, setrlimit: () => 0 }],
])("there are no marks where the system %s", (_name, calls) => {
  expect(createProcessMarks(RUN, () => calls)).toBeUndefined();
});

test("a process belongs to a run by the beginning of its mark, and to a task by all of it", async () => {
  const mark = marks.next();
  const pid = await start(mark);
  const isOf = (other: string) => carriesTrace(pid, { mark: other, variable: "NO=such" });
  expect([isOf(RUN), isOf(mark), isOf(`${RUN}000000`), isOf(newRunMark("attached"))]).toEqual([true, true, false, false]);
});

test("the environment counts as the process was started with it, and only as a whole entry", async () => {
  const child = Bun.spawn(["sleep", "60"], { env: { A: "xAGENT_RUN_ID=1", AGENT_RUN_ID: "12" } });
  const has = (variable: string) => carriesTrace(child.pid, { variable });
  await waitFor(() => has("AGENT_RUN_ID=12"));
  expect([has("AGENT_RUN_ID=1"), has("A=xAGENT_RUN_ID=1")]).toEqual([false, true]);
  child.kill("SIGKILL");
  await child.exited;
  expect(has("AGENT_RUN_ID=12")).toBe(false);
});

test("what was handed over to a run of its own is told from what belongs to this one", async () => {
  const detached = newRunMark("detached");
  const pid = await start(`${detached}000007`);
  expect([isHandedOver(pid, { variable: "A=b", mark: RUN }), isHandedOver(pid, { variable: "A=b" })]).toEqual([true, true]);
  expect(isHandedOver(pid, { variable: "A=b", mark: `${detached}000001` })).toBe(false);
  expect(isHandedOver(await start(`${newRunMark("attached")}000007`), { variable: "A=b", mark: RUN })).toBe(false);
});
