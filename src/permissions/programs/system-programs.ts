import type { OptionTable } from "./option-table.ts";

const HELP = "--help --version";
const ANYTHING = { unlisted: "harmless", operands: "data" } as const;

/** Programs that tell about the machine, or of which nothing is read or written. */
export const SYSTEM_PROGRAMS: ReadonlyMap<string, OptionTable> = new Map<string, OptionTable>([
  ["sleep", { ...ANYTHING, flags: HELP }],
  ["pwd", { flags: `LP --logical --physical ${HELP}`, unlisted: "harmless", operands: "none" }],
  ["whoami", { flags: HELP, unlisted: "harmless", operands: "none" }],
  ["id", { ...ANYTHING, flags: `aZgGnruz --context --group --groups --name --real --user --zero ${HELP}` }],
  ["groups", { ...ANYTHING, flags: HELP }],
  ["uname", { flags: `asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system ${HELP}`, unlisted: "harmless", operands: "none" }],
  ["nproc", { flags: `--all ${HELP}`, values: "--ignore", unlisted: "harmless", operands: "none" }],
  ["arch", { flags: HELP, unlisted: "harmless", operands: "none" }],
  ["tty", { flags: `s --silent --quiet ${HELP}`, unlisted: "harmless", operands: "none" }],
  // Its other options ask a name server, and an operand sets the name.
  ["hostname", { flags: "sI --short --all-ip-addresses", unlisted: "dangerous", operands: "none" }],
  ["seq", { ...ANYTHING, flags: `w0123456789. --equal-width ${HELP}`, values: "fs --format --separator" }],
  // It ends only when its reader does.
  ["yes", { ...ANYTHING, isImpure: true }],
  ["which", { ...ANYTHING, flags: "as --all" }],
  ["type", { ...ANYTHING, flags: "aftpP" }],
  // It writes with `-w` and `-a`, and takes in files with the others.
  ["history", { flags: "c", values: "d", danger: "wanr", dangerValues: "ps", unlisted: "dangerous", operands: "data", isImpure: true }],
]);
