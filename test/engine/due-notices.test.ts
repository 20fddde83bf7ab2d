import { expect, test } from "bun:test";
import { dueNotices } from "../../src/engine/due-notices.ts";
import { sampleTask, taskId } from "../support/sample-task.ts";

const ROOT = taskId("a00000000");

test("many large notices are told a few at a time, oldest first and each whole", () => {
  const ledger = ledgerOf(Array.from({ length: 10 }, (_, index) => `${index}`.repeat(30_000)));
  const first = dueNotices(ROOT, ledger);
  expect(first.map(({ deliveryId }) => deliveryId)).toEqual(["n0", "n1", "n2"]);
  expect(first[0]?.text).toContain("0".repeat(30_000));
});

test("one that is larger than all that is told at once is told alone", () => {
  expect(dueNotices(ROOT, ledgerOf(["x".repeat(500_000), "small"]))).toHaveLength(1);
});

function ledgerOf(results: readonly string[]): Parameters<typeof dueNotices>[1] {
  const tasks = results.map((result, index) => sampleTask({ id: taskId(`a1000000${index}`), status: "completed", detail: { result } }));
  return {
    pendingNotifications: () => tasks.map(({ id, attempt }, index) => ({ notificationId: `n${index}`, taskId: id, attempt, recipientTaskId: ROOT })),
    getTask: (id) => tasks.find((task) => task.id === id),
  };
}
