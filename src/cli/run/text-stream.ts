import { visibleText } from "../../lib/visible-text.ts";

/** Shows replies on a terminal while they come, one blank line between them. */
export interface TextStream {
  add(text: string): void;
  endMessage(): void;
}

export function createTextStream(write: (text: string) => void): TextStream {
  let needsGap = false;
  let lastCharacter = "\n";
  return {
    add(text) {
      if (text === "") return;
      write(`${needsGap ? "\n" : ""}${visibleText(text)}`);
      needsGap = false;
      lastCharacter = text.at(-1) ?? lastCharacter;
    },
    endMessage() {
      if (lastCharacter !== "\n") write("\n");
      lastCharacter = "\n";
      needsGap = true;
    },
  };
}
