import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verifyWritten } from "../../src/tools/verify-written.ts";
import { agentContext } from "../support/agent-context.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf } from "../support/thrown.ts";

test("success is claimed only for bytes that are there, by the path that the call named (A109)", async () => {
  using dir = tempDir();
  mkdirSync(join(dir.path, "real"));
  symlinkSync("real", join(dir.path, "link"));
  const realPath = join(dir.path, "real/a");
  writeFileSync(realPath, "new");
  const context = agentContext(dir.path);
  const params = { namedPath: join(dir.path, "link/a"), realPath, isPartial: false, context };
  const error = await appErrorOf(() => verifyWritten({ ...params, bytes: Buffer.from("other") }));
  expect(error.message).toContain("does not hold what was just written");
  await appErrorOf(() => verifyWritten({ ...params, namedPath: join(dir.path, "absent"), bytes: Buffer.from("new") }));
  expect(context.readFileState.size).toBe(0);
  verifyWritten({ ...params, bytes: Buffer.from("new") });
  expect(context.readFileState.get(realPath)?.isPartial).toBe(false);
});
