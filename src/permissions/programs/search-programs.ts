import type { OptionTable } from "./option-table.ts";

const GREP: OptionTable = {
  flags:
    "EFGPiywxzsvVbnHhoqaIrRLlcTZU0123456789 --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --word-regexp --line-regexp --null-data --no-messages --invert-match --version --help --byte-offset --line-number --line-buffered --with-filename --no-filename --only-matching --quiet --silent --text --recursive --dereference-recursive --files-without-match --files-with-matches --count --initial-tab --null --no-group-separator --binary",
  values: "edD --regexp --label --binary-files --directories --devices --include --exclude --exclude-dir --group-separator",
  numbers: "mABC --max-count --before-context --after-context --context",
  attached: "--color --colour",
  reads: "f --file --exclude-from",
  unlisted: "harmless",
  operands: "data-read",
  firstBy: ["-e", "-f", "--regexp", "--file"],
  hereBy: ["-r", "-R", "--recursive", "--dereference-recursive", "-d=recurse", "--directories=recurse"],
};

export const SEARCH_PROGRAMS: ReadonlyMap<string, OptionTable> = new Map<string, OptionTable>([
  ["grep", GREP],
  ["egrep", GREP],
  ["fgrep", GREP],
  [
    "rg",
    {
      flags:
        "aFHIilLNnoPpqSsUuVvwxch0.b --text --fixed-strings --with-filename --no-filename --ignore-case --files-with-matches --files-without-match --follow --no-follow --no-line-number --line-number --only-matching --pcre2 --pretty --quiet --smart-case --case-sensitive --multiline --multiline-dotall --unrestricted --version --invert-match --word-regexp --line-regexp --count --count-matches --help --null --null-data --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global --no-ignore-files --no-ignore-exclude --no-config --no-messages --no-heading --heading --files --json --stats --trim --vimgrep --column --no-column --byte-offset --block-buffered --line-buffered --crlf --debug --trace --glob-case-insensitive --one-file-system --passthru --passthrough --type-list --no-mmap --mmap --no-unicode --stop-on-nonmatch --max-columns-preview --include-zero --sort-files --binary",
      values:
        "egtTmABCdjMrE --regexp --glob --iglob --type --type-not --type-add --type-clear --max-count --after-context --before-context --context --max-depth --maxdepth --threads --max-columns --replace --encoding --color --colors --sort --sortr --context-separator --field-context-separator --field-match-separator --path-separator --max-filesize --engine --dfa-size-limit --regex-size-limit --hyperlink-format",
      reads: "f --file --ignore-file",
      danger: "z --search-zip",
      dangerValues: "--pre --pre-glob --hostname-bin",
      unlisted: "dangerous",
      operands: "data-read-here",
      firstBy: ["-e", "-f", "--regexp", "--file", "--files"],
    },
  ],
]);
