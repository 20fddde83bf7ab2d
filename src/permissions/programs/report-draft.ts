import type { ShellWord } from "../../core/shell-command.ts";
import type { ArgumentReport } from "./argument-report.ts";

/** A report while the arguments are looked at, one after the other. */
export interface ReportDraft extends ArgumentReport {
  isPure: boolean;
  readonly reads: ShellWord[];
  readonly writes: ShellWord[];
  danger?: { readonly index: number; readonly why: string };
}

export function startReport(isPure = true): ReportDraft {
  return { isPure, reads: [], writes: [] };
}

/**
 * Of several dangers the farthest counts: a rule whose words reach the first may have been written for that one, and says
 * nothing about those behind it.
 */
export function markDanger(report: ReportDraft, index: number, why: string): void {
  report.isPure = false;
  if (report.danger === undefined || index >= report.danger.index) report.danger = { index, why };
}
