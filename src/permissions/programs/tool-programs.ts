import type { OptionTable } from "./option-table.ts";

const IMPURE = { unlisted: "tolerated", operands: "data", isImpure: true } as const;
const COMPRESSOR: OptionTable = { ...IMPURE, flags: "cdfklnNqrtvz123456789", values: "ST --threads", operands: "write" };

/**
 * Programs of which the options are known that make them do what a rule for them hardly means, as to start another
 * program or to write somewhere else.
 */
export const TOOL_PROGRAMS: ReadonlyMap<string, OptionTable> = new Map<string, OptionTable>([
  [
    "make",
    {
      ...IMPURE,
      flags: "bmBdeikLnpqrRsStvw --always-make --debug --dry-run --just-print --ignore-errors --keep-going --question --silent --quiet --touch --version --print-directory --no-print-directory",
      values: "oW --old-file --assume-old --what-if --new-file",
      attached: "jlO --jobs --load-average --output-sync",
      dangerValues: "ECfI --eval --file --makefile --directory --include-dir",
      dangerousOperand: /^[^=]*=/,
    },
  ],
  ["rsync", { ...IMPURE, flags: "avzrlptgoDnhHAXuPcqxWSR --archive --verbose --compress --delete --dry-run --progress", values: "fB --exclude --include --filter", dangerValues: "eMT --rsh --rsync-path --remote-option --temp-dir --backup-dir --partial-dir --log-file --write-batch --only-write-batch --read-batch --password-file --files-from --config --daemon --dparam", operands: "copy" }],
  ["zip", { ...IMPURE, flags: "rqvjy0123456789 --recurse-paths --quiet", values: "x --exclude", writes: "bO --temp-path --out --output-file", danger: "Tm --test --move", dangerValues: "--unzip-command --logfile-path", operands: "write" }],
  ["unzip", { ...IMPURE, flags: "lvtqojnaLXK", writes: "d", danger: ":", operands: "read" }],
  ["gzip", COMPRESSOR],
  ["gunzip", COMPRESSOR],
  ["bzip2", COMPRESSOR],
  ["bunzip2", COMPRESSOR],
  ["xz", { ...COMPRESSOR, dangerAttached: "--files --files0" }],
  ["unxz", { ...COMPRESSOR, dangerAttached: "--files --files0" }],
  [
    "curl",
    {
      ...IMPURE,
      flags: "fsSLkivIgN46 --fail --silent --show-error --location --include --verbose --head --insecure --compressed",
      values: "HXAembux --header --request --user-agent --referer --max-time --connect-timeout --retry --url --write-out --data --data-binary --data-raw --data-ascii --data-urlencode --form --json dFw",
      writes: "ocD --output --cookie-jar --dump-header --trace --trace-ascii --stderr --output-dir --etag-save --hsts --alt-svc --libcurl",
      reads: "TE --upload-file --cacert --cert --key --netrc-file --etag-compare --capath --unix-socket",
      danger: "OJ --remote-name --remote-name-all --remote-header-name",
      dangerValues: "K --config --engine",
    },
  ],
  [
    "wget",
    {
      ...IMPURE,
      flags: "qvcNSrkpnd --quiet --verbose --continue --no-verbose --no-check-certificate",
      values: "tTUlA --tries --timeout --user-agent --header --level",
      writes: "OoaP --output-document --output-file --append-output --directory-prefix --save-cookies --warc-file --hsts-file --rejected-log",
      reads: "--post-file --body-file --load-cookies --ca-certificate --certificate --private-key",
      dangerValues: "eiB --execute --input-file --config --use-askpass --base",
    },
  ],
  ["ssh", { ...IMPURE, flags: "46AaCfGgKkMNnqsTtVvXxYy", values: "bcilmpBDewOQRS", dangerValues: "oFEILJWw" }],
  ["scp", { ...IMPURE, flags: "346ABCpqrTv", values: "ciPlX", dangerValues: "oFSJD", operands: "copy" }],
  ["sftp", { ...IMPURE, flags: "46AaCfNpqrv", values: "ciPlBRX", dangerValues: "oFSJDbs" }],
  ["man", { ...IMPURE, flags: "afkwWdt1234567890", values: "sSemLM --sections --locale --manpath", dangerValues: "PC --pager --config-file --preprocessor p", dangerAttached: "--html --browser HXT --gxditview --troff-device" }],
  ["less", { ...IMPURE, flags: "aABcCdeEfFgGiIJKLmMnNqQrRsSuUVwWXS~", values: "bhjpPxyz", dangerValues: "kotOTD --lesskey-file --lesskey-src --lesskey-content --log-file --LOG-FILE --tag-file --tag", operands: "read", dangerousOperand: /^\+/ }],
  ["more", { ...IMPURE, flags: "dflpcsu", operands: "read", dangerousOperand: /^\+/ }],
]);
