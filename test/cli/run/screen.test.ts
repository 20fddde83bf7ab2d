import { expect, test } from "bun:test";
import { createScreen } from "../../../src/cli/run/screen.ts";
import type { OutputWriter } from "../../../src/platform/output-writer.ts";

/** Two streams on one terminal: what arrives on it, where a stream takes its time with every write. */
function terminal(): { stdout: OutputWriter; stderr: OutputWriter; shown: () => string } {
  let shown = "";
  const stream = (turnsOfDelay: number): OutputWriter => {
    let pending: Promise<void> = Promise.resolve();
    return {
      async write(text) {
        pending = pending.then(async () => {
          for (let turn = 0; turn < turnsOfDelay; turn++) await new Promise((resolve) => setImmediate(resolve));
          shown += text;
        });
      },
      writeBytes: async () => undefined,
      drain: () => pending,
      end: () => pending,
      isClosed: false,
      onClosed: () => undefined,
    };
  };
  return { stdout: stream(3), stderr: stream(0), shown: () => shown };
}

const both = { hasStatus: true, isAnswerOnTerminal: true };

test("what goes to the two streams appears in the order of the calls", async () => {
  const { shown, ...streams } = terminal();
  const screen = createScreen(streams, { ...both, hasStatus: false });
  screen.answer("one\n");
  screen.note("two\n");
  screen.answer("three\n");
  await screen.close();
  expect(shown()).toBe("one\ntwo\nthree\n");
});

test("a note never stands in the middle of an answer's line", async () => {
  const { shown, ...streams } = terminal();
  const screen = createScreen(streams, { ...both, hasStatus: false });
  screen.answer("half a li");
  screen.note("note\n");
  await screen.close();
  expect(shown()).toBe("half a li\nnote\n");
});

test("a question stands alone: what comes and goes and the answer wait, a note comes above the line that is typed on", async () => {
  const { shown, ...streams } = terminal();
  const screen = createScreen(streams, both);
  screen.status("busy");
  screen.answer("half");
  await screen.question("question\n");
  await screen.prompt("y or n: ");
  screen.status("busier");
  screen.answer(" an answer\n");
  screen.note("note\n");
  screen.endQuestion();
  screen.endQuestion();
  await screen.close();
  const clear = "\r\u001b[K";
  expect(shown()).toBe(`${clear}busy${clear}half\nquestion\ny or n: \nnote\ny or n: \n an answer\n${clear}busier${clear}`);
});

test("no line feed is added to a line that whoever typed has ended", async () => {
  const { shown, ...streams } = terminal();
  const screen = createScreen(streams, { ...both, hasStatus: false });
  await screen.question("question\n");
  await screen.prompt("y or n: ");
  screen.endPrompt();
  screen.endQuestion();
  screen.note("note\n");
  await screen.close();
  expect(shown()).toBe("question\ny or n: note\n");
});

test("the status line is taken away before anything else is written and never overwrites part of a line", async () => {
  const { shown, ...streams } = terminal();
  const screen = createScreen(streams, both);
  screen.status("busy");
  screen.answer("half");
  screen.status("busier");
  screen.answer(" done\n");
  await screen.close();
  const clear = "\r\u001b[K";
  expect(shown()).toBe(`${clear}busy${clear}half done\n${clear}busier${clear}`);
});
