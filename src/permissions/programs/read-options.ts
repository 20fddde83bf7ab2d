import type { ShellWord } from "../../core/shell-command.ts";
import { maySplit, mayBecomeOption, restOfWord } from "./derived-word.ts";
import { type OptionRule, type OptionTable, optionRules } from "./option-table.ts";

export interface FoundOption extends OptionRule {
  /** `-a` or `--all`, in full. */
  readonly name: string;
  readonly value?: ShellWord;
  /** The argument that says the last of it: its value where that is one of its own. */
  readonly index: number;
}

export interface FoundOperand {
  readonly word: ShellWord;
  readonly index: number;
}

export interface FoundArguments {
  readonly options: readonly FoundOption[];
  readonly operands: readonly FoundOperand[];
  /** The options that are in no list. */
  readonly unlisted: readonly { readonly index: number; readonly name: string; readonly isShortened: boolean }[];
  /** The words that the shell computes and that may be options. */
  readonly computed: readonly number[];
}

/** Tells options from operands as `getopt_long` does, in any order. */
export function readOptions(table: OptionTable, args: readonly ShellWord[]): FoundArguments {
  const rules = optionRules(table);
  const options: FoundOption[] = [];
  const operands: FoundOperand[] = [];
  const unlisted: { index: number; name: string; isShortened: boolean }[] = [];
  const computed: number[] = [];
  let next = 0;

  const addOption = (name: string, rule: OptionRule, attached: ShellWord | undefined): void => {
    const value = rule.takes === "value" ? (attached ?? takeValue()) : attached;
    options.push({ ...rule, name, ...(value !== undefined && { value }), index: next - 1 });
  };

  const takeValue = (): ShellWord | undefined => {
    const word = args[next];
    if (word === undefined) return undefined;
    // What becomes several words is a value and operands, or options.
    if (word.isMultiple) {
      operands.push({ word, index: next });
      if (mayBecomeOption(word)) computed.push(next);
    }
    next++;
    return word;
  };

  const readLong = (word: ShellWord, index: number): void => {
    const text = word.value ?? word.prefix;
    const end = text.indexOf("=");
    const name = end === -1 ? text : text.slice(0, end);
    if (end === -1 && word.value === undefined) {
      computed.push(index);
      return;
    }
    const rule = rules.get(name);
    if (rule === undefined || (rule.takes === "nothing" && end !== -1)) unlisted.push({ index, name, isShortened: mayShorten(name, rules) });
    else addOption(name, rule, end === -1 ? undefined : restOfWord(word, end + 1));
  };

  const readShort = (word: ShellWord, index: number): void => {
    const text = word.value ?? word.prefix;
    for (let at = 1; at < text.length; at++) {
      const name = `-${text[at] ?? ""}`;
      const rule = rules.get(name);
      if (rule === undefined) {
        unlisted.push({ index, name, isShortened: false });
        continue;
      }
      const isLast = at === text.length - 1 && word.value !== undefined;
      addOption(name, rule, rule.takes === "nothing" || isLast ? undefined : restOfWord(word, at + 1));
      if (rule.takes !== "nothing") return;
    }
    if (word.value === undefined) computed.push(index);
  };

  let isEnded = false;
  while (next < args.length) {
    const index = next++;
    const word = args[index];
    if (word === undefined) break;
    const text = word.value ?? word.prefix;
    if (!isEnded && word.value === "--") {
      isEnded = true;
    } else if (isEnded || word.value === "-" || !text.startsWith("-")) {
      operands.push({ word, index });
      if (!isEnded && mayBecomeOption(word)) computed.push(index);
    } else {
      if (maySplit(word)) computed.push(index);
      if (text.startsWith("--")) readLong(word, index);
      else readShort(word, index);
    }
  }
  return { options, operands, unlisted, computed };
}

/** Whether a long name may be short for one that does more than to say how. */
function mayShorten(name: string, rules: ReadonlyMap<string, OptionRule>): boolean {
  return rules.entries().some(([full, { effect }]) => full.startsWith(name) && full !== name && (effect === "read" || effect === "write" || effect === "danger"));
}
