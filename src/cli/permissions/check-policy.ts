import { EXIT_CODES, type ExitCode } from "../../core/exit-code.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { decideCall, parseCall, type PermissionPolicy } from "../../runtime/permission-policy.ts";
import type { CliIo } from "../command.ts";
import { type PolicyCase } from "./policy-cases.ts";
import { verdictJson } from "./verdict-text.ts";

/** Decides every case and tells which came out otherwise than expected. Resolves to 1 where any did. */
export async function checkPolicy(cases: readonly PolicyCase[], policy: PermissionPolicy, options: { readonly io: CliIo; readonly isJson: boolean }): Promise<ExitCode> {
  const results = [];
  for (const expected of cases) {
    const { context } = policy;
    const verdict = await decideCall(parseCall(expected.call), { ...policy, context: { ...context, mode: expected.mode ?? context.mode } });
    results.push({ expected, verdict, isMet: verdict.behavior === expected.expect });
  }
  const failed = results.filter(({ isMet }) => !isMet);
  const { stdout } = options.io;
  if (options.isJson) {
    const checked = results.map(({ expected, verdict, isMet }) => ({ ...verdictJson(expected.call, verdict), expected: expected.expect, met: isMet }));
    await stdout.write(`${JSON.stringify({ v: 1, passed: results.length - failed.length, failed: failed.length, cases: checked })}\n`);
  } else {
    for (const { expected, verdict } of failed) {
      await stdout.write(`${visibleText(expected.call)}\n  expected ${expected.expect}, but it is ${verdict.behavior}: ${visibleText(verdict.reason)}\n`);
    }
    await stdout.write(`${results.length - failed.length} of ${results.length} cases as expected\n`);
  }
  return failed.length === 0 ? EXIT_CODES.ok : EXIT_CODES.failed;
}
