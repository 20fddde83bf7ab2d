import { describe, expect, test } from "bun:test";
import { chmodSync, chownSync, existsSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, text, toolUse } from "../support/api-reply.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { startScriptedApi } from "../support/scripted-api-server.ts";
import { smallDisk } from "../support/small-disk.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";

const HI = [{ reply: [{ text: "hi" }] }];
const WORK = [
  { reply: [{ tool: "Write", input: { file_path: "made.txt", content: "made" } }, { tool: "Bash", input: { command: "echo secret" } }, { tool: "Bash", input: { command: "sleep 61", run_in_background: true } }] },
  { reply: [{ text: "x".repeat(1_200_000) }], chunkChars: 100_000 },
];

describe("what the program keeps is for its user's eyes alone (A05)", () => {
  test.each(["022", "000", "077"])("whatever the umask: %s", async (umask) => {
    using user = agentUser();
    const script = user.script(WORK, { repeatLast: true });
    const run = `agent run -q --permission-mode acceptEdits -m ${script} go`;
    const ended = await user.shell(`umask ${umask}; ${run} >/dev/null && agent wait $(${run} -d) >/dev/null && agent config set model scripted:demo`);
    expect(ended).toMatchObject({ stderr: "", exitCode: 0 });
    const wrong = everythingBelow(user.stateDirectory).filter(({ mode, isLink }) => !isLink && (mode & 0o077) !== 0);
    expect(wrong).toEqual([]);
    expect(lstatSync(user.stateDirectory).mode & 0o777).toBe(0o700);
    expect(everythingBelow(user.stateDirectory).length).toBeGreaterThan(20);
    expect(lstatSync(join(user.env["XDG_CONFIG_HOME"] ?? "", "agent", "config.jsonc")).mode & 0o777).toBe(0o600);
    // A file of the user's own is made as any other program would make it.
    expect(lstatSync(join(user.project, "made.txt")).mode & 0o777).toBe(0o666 & ~Number.parseInt(umask, 8));
  });

  test("the umask of a command is the user's", async () => {
    using user = agentUser();
    expect((await user.shell("umask 027; agent run --exec -- sh -c umask")).stdout).toBe("0027\n");
  });
});

describe("nothing that somebody planted is followed (A06, V-204 to V-208)", () => {
  const plants: readonly (readonly [what: string, plant: (path: string, victim: string) => void])[] = [
    ["a link", (path, victim) => symlinkSync(victim, path)],
    ["a link to where nothing is yet", (path, victim) => symlinkSync(`${victim}-new`, path)],
    ["a link to a folder", (path, victim) => symlinkSync(join(victim, ".."), path)],
  ];

  test.each(plants)("%s in the place of a folder of the state is refused", async (_what, plant) => {
    for (const folder of ["tasks", "sessions", "owners"]) {
      using user = agentUser();
      const victim = join(user.home, "victim");
      writeFileSync(victim, "untouched");
      const before = readdirSync(user.home);
      mkdirSync(user.stateDirectory, { mode: 0o700 });
      plant(join(user.stateDirectory, folder), victim);
      const ended = await user.run(["run", "-m", user.script(HI), "go"]);
      expect([ended.stdout, ended.exitCode]).toEqual(["", 14]);
      expect(ended.stderr).toContain(join(user.stateDirectory, folder));
      expect(readFileSync(victim, "utf8")).toBe("untouched");
      expect(readdirSync(user.home).filter((name) => !before.includes(name)).toSorted()).toEqual(["script-1.json", "state"]);
    }
  });

  test.each([...plants, ["a hard link", (path: string, victim: string) => linkSync(victim, path)] as const])("%s in the place of the ledger is refused", async (_what, plant) => {
    using user = agentUser();
    const victim = join(user.home, "victim");
    writeFileSync(victim, "untouched");
    mkdirSync(user.stateDirectory, { mode: 0o700 });
    plant(join(user.stateDirectory, "ledger.db"), victim);
    for (const args of [["run", "-m", user.script(HI), "go"], ["ps"]]) {
      const ended = await user.run(args);
      expect([ended.stdout, ended.exitCode]).toEqual(["", 14]);
      expect(ended.stderr).toContain("ledger.db");
    }
    expect(readFileSync(victim, "utf8")).toBe("untouched");
    expect(existsSync(`${victim}-new`)).toBe(false);
  });

  test("the output of a task that was replaced by a link is not shown", async () => {
    using user = agentUser();
    const victim = join(user.home, "victim");
    writeFileSync(victim, "private words");
    await user.run(["run", "--exec", "--", "echo", "out"]);
    const id = (await user.run(["ps", "-aq"])).stdout.trim();
    const output = join(user.stateDirectory, "tasks", `${id}.output`);
    for (const replace of [symlinkSync, linkSync]) {
      await user.shell(`rm ${output}`);
      replace(victim, output);
      for (const command of ["logs", "wait"]) {
        const ended = await user.run([command, id]);
        expect(ended.stdout).toBe("");
        expect(ended.exitCode).toBe(14);
      }
    }
  });

  test("a folder that is swapped while a run goes on gets nothing", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ tool: "Bash", input: { command: "touch ready; while [ -e ready ]; do sleep 0.01; done" } }] }, { reply: [{ tool: "Bash", input: { command: "echo after" } }] }, { reply: [{ text: "done" }] }]);
    const state = user.stateDirectory;
    const swap = `until [ -e ready ]; do sleep 0.01; done; mkdir other; mv ${state}/tasks ${state}/tasks-was; ln -s $PWD/other ${state}/tasks; rm ready`;
    const ended = await user.shell(`(${swap}) & agent run --permission-mode bypassPermissions -m ${script} go; wait`);
    expect(ended.stdout).toBe("done\n");
    expect(readdirSync(join(user.project, "other"))).toEqual([]);
    expect(readdirSync(join(state, "tasks-was")).length).toBe(3);
  });
});

describe("a state folder that is not private is refused, and left as it is (V-207)", () => {
  const refused: readonly (readonly [what: string, prepare: (path: string, user: AgentUser) => void])[] = [
    ["open to all", (path) => (mkdirSync(path), chmodSync(path, 0o777))],
    ["readable by the group", (path) => (mkdirSync(path), chmodSync(path, 0o750))],
    ["somebody else's", (path) => (mkdirSync(path, { mode: 0o700 }), chownSync(path, 65_534, 65_534))],
    ["a link", (path, user) => (mkdirSync(join(user.home, "real"), { mode: 0o700 }), symlinkSync(join(user.home, "real"), path))],
    ["a file", (path) => writeFileSync(path, "")],
    ["below a file", (path) => writeFileSync(join(path, ".."), "")],
  ];

  test.each(refused)("%s", async (what, prepare) => {
    using user = agentUser();
    const path = what === "below a file" ? join(user.home, "file", "state") : user.stateDirectory;
    prepare(path, user);
    const before = lstatSync(what === "below a file" ? join(path, "..") : path);
    const env = { AGENT_STATE_DIR: path };
    for (const args of [["run", "-m", user.script(HI), "go"], ["run", "-d", "-m", user.script(HI), "go"], ["run", "--exec", "--", "true"]]) {
      const ended = await user.run(args, { env });
      expect([ended.stdout, ended.exitCode]).toEqual(["", 14]);
      expect(ended.stderr).toContain(path);
      expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1);
    }
    const after = lstatSync(what === "below a file" ? join(path, "..") : path);
    expect([after.mode, after.uid]).toEqual([before.mode, before.uid]);
  });
});

describe("a full disk", () => {
  test("lets nothing start, and everything again once there is room", async () => {
    using user = agentUser();
    using disk = smallDisk({ size: "1500k" });
    const env = { AGENT_STATE_DIR: join(disk.path, "state") };
    expect((await user.run(["run", "-m", user.script(HI), "go"], { env })).exitCode).toBe(0);
    disk.fill();
    for (const args of [["run", "-m", user.script(HI), "go"], ["run", "-d", "-m", user.script(HI), "go"]]) {
      const next = await user.run(args, { env });
      expect([next.stdout, next.exitCode]).toEqual(["", 14]);
      expect(next.stderr.trimEnd().split("\n")).toEqual([expect.stringContaining("the disk is full")]);
    }
    disk.clear();
    expect(await user.run(["run", "-m", user.script(HI), "go"], { env })).toMatchObject({ stdout: "hi\n", exitCode: 0 });
  });

  test("without inodes lets the rest fail cleanly (V-217)", async () => {
    using user = agentUser();
    using disk = smallDisk({ inodes: 40 });
    const env = { AGENT_STATE_DIR: join(disk.path, "state") };
    const script = user.script(HI);
    const codes: (number | null)[] = [];
    for (let index = 0; index < 8; index++) codes.push((await user.run(["run", "-m", script, "go"], { env })).exitCode);
    expect(new Set(codes)).toEqual(new Set([0, 14]));
    await user.shell(`rm -r ${disk.path}/state/sessions/*`);
    const listed = JSON.parse((await user.run(["ps", "-a", "--json"], { env })).stdout) as { status: string }[];
    // What came far enough to be on record has ended there too.
    const failed = listed.length - codes.filter((code) => code === 0).length;
    expect(listed.map((task) => task.status)).toEqual([...Array.from({ length: failed }, () => "failed"), ...codes.filter((code) => code === 0).map(() => "completed")]);
  });
});

describe("output beyond --output-quota is dropped, counted and told", () => {
  test("of a command of the user's own", async () => {
    using user = agentUser();
    const ended = await user.run(["run", "--output-format", "stream-json", "--output-quota", "100kB", "--exec", "--", "sh", "-c", "head -c 250000 /dev/zero | tr '\\0' x"]);
    const all = events(ended.stdout);
    const [cut] = eventsOfType(all, "output.truncated");
    const { bytes_kept: kept, bytes_dropped: dropped } = cut ?? { bytes_kept: 0, bytes_dropped: 0 };
    expect(kept + dropped).toBe(250_000);
    expect(kept).toBeLessThanOrEqual(100_000);
    expect(kept).toBeGreaterThan(80_000);
    expect(runResult(ended.stdout)).toMatchObject({ status: "completed" });
    const logged = await user.run(["logs", cut?.task_id ?? ""]);
    expect(logged.stdout).toBe("x".repeat(kept));
    expect(logged.stderr).toContain(`${dropped} bytes are lost here`);
  });

  test("of a command of an agent, to the agent", async () => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: [reply(toolUse("Bash", { command: "head -c 250000 /dev/zero | tr '\\0' x" })), reply(text("done"))] });
    const ended = await user.run(["run", "--output-quota", "100kB", "--permission-mode", "bypassPermissions", "go"], { env: { ANTHROPIC_BASE_URL: api.url } });
    expect(ended).toMatchObject({ stdout: "done\n", exitCode: 0 });
    expect(JSON.stringify(api.requests[1]?.body["messages"])).toMatch(/1[5-6]\d{4} bytes of the output were not kept/);
  });
});

function everythingBelow(path: string): { readonly path: string; readonly mode: number; readonly isLink: boolean }[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => {
    const stat = lstatSync(join(path, name));
    return { path: name, mode: stat.mode & 0o777, isLink: stat.isSymbolicLink() };
  });
}
