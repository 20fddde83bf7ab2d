import { expect, test } from "bun:test";
import { join } from "node:path";
import { reply, text } from "./support/api-reply.ts";
import { startScriptedApi } from "./support/scripted-api-server.ts";
import { tempDir } from "./support/temp-dir.ts";

// Start-up is a budget: schemas and modules cost more than anything else that happens before the first request.

async function loadedBy(args: readonly string[], env: Record<string, string> = {}): Promise<{ code: number; schemas: string[]; modules: string[] }> {
  using home = tempDir();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "fixtures", "count-loaded.ts"), ...args], {
    cwd: join(import.meta.dir, ".."),
    env: { PATH: process.env["PATH"], HOME: home.path, AGENT_STATE_DIR: join(home.path, "state"), ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const lines = (await new Response(child.stderr).text()).trimEnd().split("\n");
  return JSON.parse(lines.at(-1) ?? "");
}

const own = (modules: readonly string[]) => modules.filter((path) => path.includes("/src/"));
const foreign = (modules: readonly string[], name: string) => modules.filter((path) => path.includes(`/node_modules/${name}/`));

test('run "hi" builds no more schemas than the tools need, and loads a bounded number of modules', async () => {
  await using api = startScriptedApi({ turns: [reply(text("hi"))] });
  const loaded = await loadedBy(["run", "hi"], { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test" });
  expect(loaded.code).toBe(0);
  expect(loaded.schemas.length).toBeLessThanOrEqual(1);
  expect(own(loaded.modules).length).toBeLessThanOrEqual(420);
});

test("version loads neither schemas nor state, models or tools", async () => {
  const loaded = await loadedBy(["version"]);
  expect(loaded.code).toBe(0);
  expect(loaded.schemas).toEqual([]);
  expect(foreign(loaded.modules, "zod")).toEqual([]);
  expect(own(loaded.modules).filter((path) => /\/src\/(store|model|agent|tools|tasks|runtime)\//.test(path))).toEqual([]);
  expect(own(loaded.modules).length).toBeLessThanOrEqual(25);
});

test("launching a run in the background loads neither the SDK nor zod nor any tool", async () => {
  const loaded = await loadedBy(["run", "-d", "--model", "scripted:demo", "--timeout", "20s", "hello"]);
  expect(foreign(loaded.modules, "zod").concat(foreign(loaded.modules, "@anthropic-ai"))).toEqual([]);
  expect(own(loaded.modules).filter((path) => /\/src\/(agent|tasks)\/|\/src\/tools\/(?!tool-names)/.test(path))).toEqual([]);
});
