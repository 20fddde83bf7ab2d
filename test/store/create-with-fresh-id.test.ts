import { expect, test } from "bun:test";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createWithFreshId } from "../../src/store/create-with-fresh-id.ts";
import { openTaskOutputs } from "../../src/store/task-output.ts";
import { taskId } from "../support/sample-task.ts";
import { testState } from "../support/test-state.ts";
import { appErrorOf } from "../support/thrown.ts";

test("a planted name is passed over for a new id (V-204)", () => {
  using state = testState();
  const outputs = openTaskOutputs(state.directory, { bytesMax: 100 });
  const victim = join(state.path, "victim");
  writeFileSync(victim, "precious");
  symlinkSync(victim, outputs.path(taskId("b00000001")));
  symlinkSync(join(state.path, "missing"), outputs.path(taskId("b00000002")));
  const ids = [1, 2, 3].map((number) => taskId(`b0000000${number}`));
  const { id, writer } = createWithFreshId(
    "local_bash",
    (fresh) => ({ id: fresh, writer: outputs.create(fresh) }),
    () => ids.shift() ?? taskId("b99999999"),
  );
  writer.write(Buffer.from("output"));
  writer.close();
  expect(id).toBe(taskId("b00000003"));
  expect(readFileSync(outputs.path(id), "utf8")).toBe("output");
  expect(readFileSync(victim, "utf8")).toBe("precious");
});

test("after ten taken names it gives up", async () => {
  let attempts = 0;
  const error = await appErrorOf(() =>
    createWithFreshId("local_agent", () => {
      attempts++;
      throw Object.assign(new Error("exists"), { code: "EEXIST" });
    }),
  );
  expect([error.reason, error.code]).toEqual(["storage", "ids_taken"]);
  expect(attempts).toBe(10);
});

test("other failures are not tried again", () => {
  let attempts = 0;
  expect(() =>
    createWithFreshId("local_bash", () => {
      attempts++;
      throw Object.assign(new Error("disk full"), { code: "ENOSPC" });
    }),
  ).toThrow("disk full");
  expect(attempts).toBe(1);
});
