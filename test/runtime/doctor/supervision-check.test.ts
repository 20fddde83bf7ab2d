import { expect, test } from "bun:test";
import type { SupervisionMeans } from "../../../src/platform/supervision-means.ts";
import { supervisionCheck } from "../../../src/runtime/doctor/supervision-check.ts";

const ALL: SupervisionMeans = { canMark: true, canReadEnvironment: true, canAdopt: true, missingForWatchdog: [] };

test("this machine has what it takes", () => {
  expect(supervisionCheck(process.env)).toMatchObject({ name: "supervision", status: "ok" });
});

test.each<[string, Partial<SupervisionMeans>, RegExp, RegExp]>([
  ["limits are not there", { canMark: false }, /empties its environment and leaves its session/, /ulimit -H -R/],
  ["nothing can be read of processes", { canMark: false, canReadEnvironment: false }, /neither limits nor environments/, /\/proc/],
  ["nothing is adopted", { canAdopt: false }, /lose their parent/, /kernel/],
  ["programs are missing", { missingForWatchdog: ["/bin/sh", "grep"] }, /no watchdog without \/bin\/sh and grep/, /install \/bin\/sh and grep/],
  ["it is another platform", { missingForWatchdog: undefined }, /on this platform only the process group/, /agent ps/],
])("what may go on is said, with what to do, where %s", (_name, lack, message, advice) => {
  const check = supervisionCheck({}, { ...ALL, ...lack });
  expect(check.status).toBe("warn");
  expect(check.message).toMatch(message);
  expect(check.advice).toMatch(advice);
});

test("several lacks are all said", () => {
  const { message } = supervisionCheck({}, { canMark: false, canReadEnvironment: true, canAdopt: false, missingForWatchdog: ["grep"] });
  expect(message.split("; ")).toHaveLength(3);
});
