/** The report of a fork, part by part. */
export interface ForkReport {
  readonly scope: string;
  readonly result: string;
  readonly files: string;
  readonly issues: string;
}

const REPORT = /^Scope:\s*(?<scope>.+?)\s*\nResult:\s*(?<result>[\s\S]+?)\s*\nFiles:\s*(?<files>[\s\S]+?)\s*\nIssues:\s*(?<issues>[\s\S]+?)\s*$/;

/** Reads the report with which a fork ends. Undefined where it has not kept to the form. */
export function parseForkReport(text: string): ForkReport | undefined {
  const { scope, result, files, issues } = REPORT.exec(text.trim())?.groups ?? {};
  return scope === undefined || result === undefined || files === undefined || issues === undefined ? undefined : { scope, result, files, issues };
}
