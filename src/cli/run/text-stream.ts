import { visibleText } from "../../lib/visible-text.ts";
import type { OutputWriter } from "../../platform/output-writer.ts";

/** Shows replies on a terminal while they come, one blank line between them. */
export interface TextStream {
  add(text: string): void;
  endMessage(): void;
}

export function createTextStream(stdout: OutputWriter): TextStream {
  let needsGap = false;
  let lastCharacter = "\n";
  return {
    add(text) {
      if (text === "") return;
      if (needsGap) void stdout.write("\n");
      needsGap = false;
      void stdout.write(visibleText(text));
      lastCharacter = text.at(-1) ?? lastCharacter;
    },
    endMessage() {
      if (lastCharacter !== "\n") void stdout.write("\n");
      lastCharacter = "\n";
      needsGap = true;
    },
  };
}
