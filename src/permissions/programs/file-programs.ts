import type { OptionTable } from "./option-table.ts";

const HELP = "--help --version";

/** Programs that tell about files. */
export const FILE_PROGRAMS: ReadonlyMap<string, OptionTable> = new Map<string, OptionTable>([
  [
    "ls",
    {
      flags: `aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 --all --almost-all --author --escape --ignore-backups --directory --dired --file-type --full-time --no-group --group-directories-first --human-readable --si --dereference-command-line --dereference-command-line-symlink-to-dir --inode --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --reverse --recursive --size --context --zero ${HELP}`,
      values: "--block-size --format --hide --indicator-style --ignore --quoting-style --sort --time --time-style --tabsize --width",
      attached: "--color --classify --hyperlink",
      unlisted: "harmless",
      operands: "read-here",
    },
  ],
  [
    "du",
    {
      flags: `0abcDHhkLlmPSsx --null --all --apparent-size --bytes --total --dereference-args --human-readable --inodes --dereference --count-links --no-dereference --separate-dirs --si --summarize --one-file-system ${HELP}`,
      values: "Bdt --block-size --max-depth --threshold --exclude --time-style",
      attached: "--time",
      reads: "X --exclude-from",
      impureValues: "--files0-from",
      unlisted: "harmless",
      operands: "read-here",
    },
  ],
  [
    "df",
    {
      flags: `ahHiklPTv --all --human-readable --si --inodes --local --no-sync --portability --total --print-type ${HELP}`,
      values: "Btx --block-size --type --exclude-type",
      attached: "--output",
      unlisted: "harmless",
      operands: "read",
    },
  ],
  ["stat", { flags: `Lft --dereference --file-system --terse ${HELP}`, values: "c --format --printf --cached", unlisted: "harmless", operands: "read" }],
  ["readlink", { flags: `femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero ${HELP}`, unlisted: "harmless", operands: "read" }],
  ["realpath", { flags: `emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero ${HELP}`, reads: "--relative-to --relative-base", unlisted: "harmless", operands: "read" }],
  ["basename", { flags: `az --multiple --zero ${HELP}`, values: "s --suffix", unlisted: "harmless", operands: "data" }],
  ["dirname", { flags: `z --zero ${HELP}`, unlisted: "harmless", operands: "data" }],
  [
    "file",
    {
      flags: "vbiklLhnN0prsd --help --version --brief --mime --mime-type --mime-encoding --apple --extension --keep-going --list --dereference --no-dereference --no-buffer --no-pad --print0 --preserve-date --raw --special-files --debug",
      values: "eFP --exclude --exclude-quiet --separator --parameter",
      // Looking into archives starts programs, and `-C` writes a compiled magic file.
      danger: "zZCS --uncompress --uncompress-noreport --compile --no-sandbox",
      dangerValues: "mf --magic-file --files-from",
      unlisted: "dangerous",
      operands: "read",
    },
  ],
  [
    "tree",
    {
      flags: "adflxpsuhgDFqNQrtcUviAnCSJX --dirsfirst --filesfirst --noreport --nolinks --si --du --inodes --device --ignore-case --matchdirs --prune --gitignore --metafirst --help --version",
      values: "LPI --charset --filelimit --timefmt --sort",
      writes: "o --output",
      // `-R` starts itself in each directory and writes there.
      danger: "R --fromfile --fromtabfile",
      dangerValues: "--infofile --gitfile",
      unlisted: "dangerous",
      operands: "read-here",
    },
  ],
  [
    "strings",
    {
      flags: "adfowvVh0123456789 --all --data --print-file-name --include-all-whitespace --help --version",
      numbers: "n --bytes",
      attached: "teTUs --radix --target --encoding --unicode --output-separator",
      // It takes more arguments from such a file.
      dangerousOperand: /^@/,
      unlisted: "harmless",
      operands: "read",
    },
  ],
]);
