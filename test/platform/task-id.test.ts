import { expect, test } from "bun:test";
import { isTaskId, TASK_ID_ALPHABET, TASK_ID_PREFIXES, TASK_TYPES } from "../../src/core/task.ts";
import { generateTaskId } from "../../src/platform/task-id.ts";

const IDS = 100_000;
/** Exceeded by chance once in ten million runs, for 35 degrees of freedom. The simple modulo gives about 1,600. */
const CHI_SQUARE_MAX = 100;

test.each([...TASK_TYPES])("an id of type %s has its letter and the form of ids", (type) => {
  const id = generateTaskId(type);
  expect(isTaskId(id)).toBe(true);
  expect(id[0]).toBe(TASK_ID_PREFIXES[type]);
});

test("every character is equally likely (V-211)", () => {
  const counts = new Map<string, number>();
  for (let made = 0; made < IDS; made++) {
    const id = generateTaskId("local_bash");
    for (const character of id.slice(1)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const expected = (IDS * 8) / TASK_ID_ALPHABET.length;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(counts.size).toBe(36);
  expect(chiSquare).toBeLessThan(CHI_SQUARE_MAX);
});

test("bytes that would favor the first letters are drawn again", () => {
  const draws = [
    [252, 253, 254, 255],
    [0, 35, 36, 251, 252, 1, 2, 3],
    [255, 4, 5, 6],
  ];
  const id = generateTaskId("dream", () => Uint8Array.from(draws.shift() ?? []));
  expect<string>(id).toBe("d0z0z1234");
  expect(draws).toEqual([]);
});
