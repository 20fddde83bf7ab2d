import type { OptionTable } from "./option-table.ts";

const HELP = "--help --version";
const TARGET = ["-t", "--target-directory"];

/** Programs whose purpose it is to create, change or remove what they are given. */
export const WRITING_PROGRAMS: ReadonlyMap<string, OptionTable> = new Map<string, OptionTable>([
  ["tee", { flags: `aip --append --ignore-interrupts ${HELP}`, attached: "--output-error", unlisted: "harmless", operands: "write" }],
  ["mkdir", { flags: `pv --parents --verbose ${HELP}`, values: "m --mode", unlisted: "harmless", operands: "write" }],
  ["touch", { flags: `acfhm --no-create --no-dereference ${HELP}`, values: "dt --date --time", reads: "r --reference", unlisted: "harmless", operands: "write" }],
  [
    "cp",
    {
      flags: `adfiHLnPpRrTuvx --archive --attributes-only --copy-contents --force --interactive --dereference --no-clobber --no-dereference --recursive --remove-destination --strip-trailing-slashes --no-target-directory --update --verbose --one-file-system ${HELP}`,
      values: "--no-preserve --sparse",
      attached: "--preserve --reflink",
      writes: "t --target-directory",
      // A backup is a file that no argument names, `--parents` makes directories, and whoever writes a link writes its source.
      danger: "bls --link --symbolic-link --parents",
      dangerValues: "S --suffix",
      dangerAttached: "--backup",
      unlisted: "dangerous",
      operands: "copy",
      firstBy: TARGET,
    },
  ],
  [
    "mv",
    {
      flags: `finTuv --force --interactive --no-clobber --strip-trailing-slashes --no-target-directory --update --verbose ${HELP}`,
      writes: "t --target-directory",
      danger: "b",
      dangerValues: "S --suffix",
      dangerAttached: "--backup",
      unlisted: "dangerous",
      operands: "move",
      firstBy: TARGET,
    },
  ],
  [
    "ln",
    {
      flags: `fiLnPrsTv --force --interactive --logical --no-dereference --physical --relative --symbolic --no-target-directory --verbose ${HELP}`,
      writes: "t --target-directory",
      danger: "bdF --directory",
      dangerValues: "S --suffix",
      dangerAttached: "--backup",
      unlisted: "dangerous",
      operands: "link",
      firstBy: TARGET,
      isImpure: true,
    },
  ],
  [
    "install",
    {
      flags: `cCDpTv --compare --preserve-timestamps --no-target-directory --verbose ${HELP}`,
      values: "gmo --group --mode --owner",
      writes: "t --target-directory",
      // `-s` starts a program that strips, and `-d` makes a directory of every operand.
      danger: "bsd --strip --directory",
      dangerValues: "S --suffix --strip-program",
      dangerAttached: "--backup",
      unlisted: "dangerous",
      operands: "copy",
      firstBy: TARGET,
      isImpure: true,
    },
  ],
  ["rm", { flags: `fiIrRdv --force --recursive --dir --verbose ${HELP}`, unlisted: "harmless", operands: "write", isImpure: true }],
  ["rmdir", { flags: `pv --parents --verbose ${HELP}`, unlisted: "harmless", operands: "write", isImpure: true }],
  ["unlink", { unlisted: "harmless", operands: "write", isImpure: true }],
  ["truncate", { flags: `co --no-create --io-blocks ${HELP}`, values: "s --size", reads: "r --reference", unlisted: "harmless", operands: "write", isImpure: true }],
  ["chmod", { flags: "cfvR --changes --silent --quiet --verbose --recursive rwxXst", reads: "--reference", unlisted: "harmless", operands: "data-write", firstBy: ["--reference", "-r", "-w", "-x", "-X", "-s", "-t"], isImpure: true }],
  ["chown", { flags: "cfvhRHLP --recursive", values: "--from", reads: "--reference", unlisted: "harmless", operands: "data-write", firstBy: ["--reference"], isImpure: true }],
  ["chgrp", { flags: "cfvhRHLP --recursive", reads: "--reference", unlisted: "harmless", operands: "data-write", firstBy: ["--reference"], isImpure: true }],
  ["mktemp", { flags: "duqt --directory --dry-run --quiet", values: "--suffix", writes: "p", dangerAttached: "--tmpdir", unlisted: "tolerated", operands: "write", isImpure: true }],
  [
    "split",
    {
      flags: "deux --elide-empty-files --unbuffered --verbose",
      values: "abClnt --suffix-length --additional-suffix --bytes --line-bytes --lines --number --separator",
      attached: "--numeric-suffixes --hex-suffixes",
      dangerValues: "--filter",
      unlisted: "dangerous",
      operands: "filter",
      isImpure: true,
    },
  ],
  ["csplit", { flags: "ksz --keep-files --suppress-matched --quiet --silent --elide-empty-files", values: "bn --suffix-format --digits", writes: "f --prefix", unlisted: "dangerous", operands: "read", isImpure: true }],
]);
