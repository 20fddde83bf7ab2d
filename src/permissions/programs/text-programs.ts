import type { OptionTable } from "./option-table.ts";

const DIGITS = "0123456789";
const HELP = "--help --version";
const DIGEST = { flags: `btz --binary --text --tag --zero ${HELP}`, unlisted: "harmless", operands: "read" } as const;
/** That of BSD has `-o`. */
const BASE = { writes: "o --output", unlisted: "dangerous", operands: "read" } as const;
const FILTER = { unlisted: "harmless", operands: "read" } as const;

/** Programs that read files or their input and print text. */
export const TEXT_PROGRAMS: ReadonlyMap<string, OptionTable> = new Map<string, OptionTable>([
  ["cat", { ...FILTER, flags: `AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting ${HELP}` }],
  ["head", { ...FILTER, flags: `qvz${DIGITS} --quiet --silent --verbose --zero-terminated ${HELP}`, values: "cn --bytes --lines" }],
  ["tail", { ...FILTER, flags: `fFqvzr${DIGITS} --quiet --silent --verbose --zero-terminated --retry ${HELP}`, values: "cns --bytes --lines --sleep-interval --pid --max-unchanged-stats", attached: "--follow" }],
  ["wc", { ...FILTER, flags: `cmlLw --bytes --chars --lines --max-line-length --words ${HELP}`, impureValues: "--files0-from" }],
  ["tac", { ...FILTER, flags: `br --before --regex ${HELP}`, values: "s --separator" }],
  ["rev", { ...FILTER, flags: `hV ${HELP}` }],
  ["nl", { ...FILTER, flags: `p --no-renumber ${HELP}`, values: "bdfhilnsvw --body-numbering --section-delimiter --footer-numbering --header-numbering --line-increment --join-blank-lines --number-format --number-separator --starting-line-number --number-width" }],
  ["cut", { ...FILTER, flags: `nsz --complement --only-delimited --zero-terminated ${HELP}`, values: "bcdf --bytes --characters --delimiter --fields --output-delimiter" }],
  ["tr", { flags: `cCdst --complement --delete --squeeze-repeats --truncate-set1 ${HELP}`, unlisted: "harmless", operands: "data" }],
  ["paste", { ...FILTER, flags: `sz --serial --zero-terminated ${HELP}`, values: "d --delimiters" }],
  ["join", { ...FILTER, flags: `iz --ignore-case --check-order --nocheck-order --header --zero-terminated ${HELP}`, values: "aejotv12" }],
  ["comm", { ...FILTER, flags: `123z --check-order --nocheck-order --total --zero-terminated ${HELP}`, values: "--output-delimiter" }],
  ["cmp", { ...FILTER, flags: `blsv --print-bytes --verbose --quiet --silent ${HELP}`, values: "in --ignore-initial --bytes" }],
  ["fold", { ...FILTER, flags: `bs${DIGITS} --bytes --spaces ${HELP}`, values: "w --width" }],
  ["fmt", { ...FILTER, flags: `cstu${DIGITS} --crown-margin --split-only --tagged-paragraph --uniform-spacing ${HELP}`, values: "wg --prefix --width --goal" }],
  ["expand", { ...FILTER, flags: `i${DIGITS} --initial ${HELP}`, values: "t --tabs" }],
  ["unexpand", { ...FILTER, flags: `a${DIGITS} --all --first-only ${HELP}`, values: "t --tabs" }],
  [
    "column",
    {
      ...FILTER,
      flags: `tdeLJxhV --table --table-noheadings --table-header-repeat --keep-empty-lines --json --fillrows ${HELP}`,
      values: "ONlEHRTWripcos --table-name --table-order --table-columns --table-columns-limit --table-noextreme --table-hide --table-right --table-truncate --table-wrap --tree --tree-id --tree-parent --output-width --output-separator --separator",
    },
  ],
  ["od", { ...FILTER, flags: `vabcdfilosx --output-duplicates --traditional ${HELP}`, values: "AjNSt --address-radix --endian --skip-bytes --read-bytes --format", attached: "w --width --strings" }],
  ["hexdump", { ...FILTER, flags: `bcCdoxvhV --one-byte-octal --one-byte-char --canonical --two-bytes-decimal --two-bytes-octal --two-bytes-hex --no-squeezing ${HELP}`, values: "ens --format --length --skip", attached: "L --color", reads: "f --format-file" }],
  ["md5sum", DIGEST],
  ["sha1sum", DIGEST],
  ["sha224sum", DIGEST],
  ["sha256sum", DIGEST],
  ["sha384sum", DIGEST],
  ["sha512sum", DIGEST],
  ["b2sum", { ...DIGEST, values: "l --length" }],
  ["cksum", { ...DIGEST, flags: `z --tag --untagged --zero --debug ${HELP}`, values: "al --algorithm --length" }],
  ["sum", { ...FILTER, flags: `rs --sysv ${HELP}` }],
  ["base64", { ...BASE, flags: `di --decode --ignore-garbage ${HELP}`, values: "w --wrap" }],
  ["base32", { ...BASE, flags: `di --decode --ignore-garbage ${HELP}`, values: "w --wrap" }],
  [
    "diff",
    {
      flags: `qscuenypTtrNEZbwBaid${DIGITS} --normal --brief --report-identical-files --ed --rcs --side-by-side --left-column --suppress-common-lines --show-c-function --expand-tabs --initial-tab --suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --text --strip-trailing-cr --minimal --speed-large-files ${HELP}`,
      values: "CUWFxILD --width --show-function-line --label --tabsize --exclude --ignore-matching-lines --ifdef --line-format --horizon-lines --palette",
      attached: "--context --unified --color",
      reads: "XS --exclude-from --from-file --to-file",
      // It passes the output through `pr`.
      danger: "l --paginate",
      unlisted: "dangerous",
      operands: "read",
    },
  ],
  [
    "sort",
    {
      flags: `bdfgiMhnRrVcCmsuz --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --merge --stable --unique --zero-terminated --debug ${HELP}`,
      values: "ktS --key --field-separator --buffer-size --sort --parallel --batch-size",
      attached: "--check",
      reads: "--random-source",
      writes: "o --output",
      // Its temporary files go where `-T` says, and the names of what it reads may stand in a file.
      dangerValues: "T --temporary-directory --compress-program --files0-from",
      unlisted: "dangerous",
      operands: "read",
    },
  ],
  [
    "uniq",
    {
      flags: `cdDiuz --count --repeated --ignore-case --unique --zero-terminated ${HELP}`,
      values: "fsw --skip-fields --skip-chars --check-chars",
      attached: "--all-repeated --group",
      unlisted: "dangerous",
      operands: "filter",
    },
  ],
]);
