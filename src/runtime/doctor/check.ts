/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  /**
   * - `ok`: as it should be
   * - `warn`: runs work, but not as somebody may expect
   * - `fail`: runs do not work
   */
  readonly status: "ok" | "warn" | "fail";
  /** What was found, as a sentence without a full stop. */
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}
