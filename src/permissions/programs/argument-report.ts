import type { ShellWord } from "../../core/shell-command.ts";

/** What the arguments of a program that is known do, judged by a table of its options. */
export interface ArgumentReport {
  /**
   * Whether the program is proven to run nothing, to reach no network, and to read and write nothing but what is named
   * here, its standard streams, and what any program may see, as the time or the name of the machine.
   */
  readonly isPure: boolean;
  /** The arguments that name files or directories which it reads; `.` where it reads the working directory unasked. */
  readonly reads: readonly ShellWord[];
  /** The arguments that name what it creates, changes or removes. */
  readonly writes: readonly ShellWord[];
  /**
   * The last argument by which it runs something, or writes something that is not in `writes`, beyond what its name
   * says. A rule covers such a call only where its own words reach that far.
   */
  readonly danger?: { readonly index: number; readonly why: string };
}

/** @param args the words behind the program; `danger.index` counts from the first of them */
export type DescribeArguments = (args: readonly ShellWord[]) => ArgumentReport;
