import { EXIT_CODES } from "../../core/exit-code.ts";
import { visibleText } from "../../lib/visible-text.ts";
import type { Check } from "../../runtime/doctor/check.ts";
import { runChecks } from "../../runtime/doctor/run-checks.ts";
import { defineCliCommand } from "../command.ts";
import { directoryFlag } from "../flag-values.ts";

export default defineCliCommand({
  name: "doctor",
  description: "Check the installation and the state folder",
  examples: ["agent doctor", "agent doctor --json | jq '.checks[] | select(.status != \"ok\")'"],
  args: { json: { type: "boolean", description: "Print an object: ok, checks" } },
  async run({ values, io }) {
    const checks = await runChecks({ env: io.env, cwd: directoryFlag("--cwd", "."), now: Date.now() });
    const isSound = checks.every(({ status }) => status !== "fail");
    await io.stdout.write(values.json === true ? `${json(checks, isSound)}\n` : checks.map(lines).join(""));
    return isSound ? EXIT_CODES.ok : EXIT_CODES.failed;
  },
});

function json(checks: readonly Check[], isSound: boolean): string {
  return JSON.stringify({ v: 1, ok: isSound, checks: checks.map((check) => ({ ...check, advice: check.advice ?? null })) });
}

function lines({ name, status, message, advice }: Check): string {
  const found = `${status.padEnd(4)}  ${name}: ${visibleText(message)}\n`;
  return advice === undefined ? found : `${found}      What to do: ${visibleText(advice)}\n`;
}
