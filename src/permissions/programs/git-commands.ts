import type { OptionTable } from "./option-table.ts";

type GitTable = Omit<OptionTable, "unlisted" | "operands">;

/** The options that start programs or write files, whatever the subcommand. */
export const GIT_DANGER = {
  danger: "--ext-diff --textconv --show-signature",
  dangerValues: "--upload-pack --receive-pack --upload-archive --exec --output --extcmd",
  dangerAttached: "--open-files-in-pager --gpg-sign",
} as const;

const DIFF: GitTable = {
  // Some are here since they are the beginning of one that is dangerous.
  flags: "pusabwzR --text --patch --stat --oneline --cached --staged --name-only --name-status --no-ext-diff --no-textconv --no-color --no-index",
  values: "nSGl --author --committer --grep --since --until --after --before --max-count",
  attached: "UMCBX --format --pretty --color --diff-filter --output-indicator-new --output-indicator-old --output-indicator-context",
};
const LOG: GitTable = { ...DIFF, values: `${DIFF.values ?? ""} L` };
const SIGNED = { dangerAttached: "S --gpg-sign" } as const;

export const GIT_COMMANDS: ReadonlyMap<string, GitTable> = new Map<string, GitTable>([
  ["diff", { ...DIFF, reads: "O" }],
  ["log", { ...LOG, reads: "O" }],
  ["show", { ...LOG, reads: "O" }],
  ["commit", { ...SIGNED, flags: "apvsnqi --all --amend --no-edit --edit --signoff", values: "mCc --message --author --date --fixup --squash --reuse-message --reedit-message --cleanup --trailer", reads: "Ft --file --template --pathspec-from-file" }],
  ["tag", { flags: "adflv --annotate --delete --force --list", values: "m --message --sort --points-at", attached: "n", reads: "F --file", danger: "s --sign", dangerValues: "u --local-user" }],
  ["merge", { ...SIGNED, flags: "nqve --no-ff --ff-only --squash --abort --continue --edit", values: "msX --message --strategy --strategy-option --into-name", reads: "F --file" }],
  ["pull", { ...SIGNED, flags: "qvn --no-ff --ff-only", attached: "r --rebase", values: "sX --strategy --strategy-option" }],
  ["cherry-pick", { ...SIGNED, flags: "enxs --edit --no-commit --continue --abort", values: "mX --mainline --strategy --strategy-option" }],
  ["revert", { ...SIGNED, flags: "ens --edit --no-edit --no-commit --continue --abort", values: "mX --mainline --strategy --strategy-option" }],
  ["am", { ...SIGNED, flags: "3skuq", values: "pC" }],
  ["rebase", { ...SIGNED, flags: "qvnfrm --continue --abort --skip --quit --onto", values: "sX --strategy --strategy-option", danger: "i --interactive --edit-todo", dangerValues: "x --exec" }],
  ["stash", { flags: "kqpua --keep-index --include-untracked", values: "m --message" }],
  ["notes", { flags: "f", values: "mCc --message --ref", reads: "F --file" }],
  ["branch", { flags: "adDflmMrvqcC --all --list --delete --move --copy --show-current", values: "u --set-upstream-to --contains --merged --no-merged --sort --points-at", attached: "t" }],
  ["checkout", { flags: "qfdlmp", values: "bB --orphan", attached: "t", reads: "--pathspec-from-file" }],
  ["switch", { flags: "qfdm", values: "cC --create --force-create --orphan", attached: "t" }],
  ["grep", { flags: "aIiwvhHEGFPnlLzcopWqrt --text --cached --untracked --no-index", values: "emABC", reads: "f", dangerAttached: "O --open-files-in-pager" }],
  ["clone", { flags: "lnqvs --local --bare --mirror --quiet --no-checkout --single-branch --no-tags --recursive", values: "objb --branch --origin --depth --jobs --filter --shallow-since", reads: "--reference --reference-if-able", dangerValues: "cu --config --upload-pack --template --separate-git-dir --bundle-uri" }],
  ["init", { flags: "q --quiet --bare", dangerValues: "--template --separate-git-dir", values: "b --initial-branch --object-format", attached: "--shared" }],
  ["archive", { flags: "lv --list", values: "--format --prefix --mtime", dangerValues: "o --output --remote --exec --add-file --add-virtual-file" }],
  ["format-patch", { ...DIFF, flags: "nNkspq --stdout --numbered", values: "v --start-number --subject-prefix --to --cc --in-reply-to", dangerValues: "o --output-directory" }],
  ["apply", { flags: "Rv3 --check --stat --index --cached --reverse", values: "pC --directory --exclude --include", danger: "--unsafe-paths" }],
  ["config", { flags: "lz --list --global --system --local --worktree --show-origin --show-scope --name-only --get --get-all --get-regexp --null --bool --int --path", values: "--type --default --blob --get-color --get-colorbool --get-urlmatch", reads: "f --file", danger: "e --edit --add --unset --unset-all --replace-all --rename-section --remove-section" }],
  ["push", { flags: "ufnqvd4 --set-upstream --force --tags --all --dry-run --delete --no-verify", values: "o --push-option", attached: "--force-with-lease --signed" }],
  ["fetch", { flags: "apfnqtuv --all --prune --tags --force", values: "jo --depth --jobs --server-option" }],
  ["ls-remote", { flags: "htq --heads --tags --refs --exit-code --get-url", values: "o --server-option --sort" }],
  ["checkout-index", { flags: "afnqu", dangerValues: "--prefix" }],
  ["read-tree", { flags: "muvinq", dangerValues: "--prefix --index-output" }],
]);

/** Subcommands that are there to start programs, or to do what a rule for all of git hardly means. */
export const GIT_RUNNERS: ReadonlySet<string> = new Set(
  "difftool mergetool filter-branch daemon send-email imap-send credential credential-cache credential-store instaweb gui citool gitk hook maintenance p4 svn cvsserver cvsimport cvsexportcommit archimport shell http-backend upload-pack receive-pack upload-archive remote-ext remote-fd remote-http remote-https web--browse fast-import replace interpret-trailers sh-setup mergetool--lib merge-index merge-one-file rebase--interactive help submodule--helper for-each-repo scalar fsmonitor--daemon".split(" "),
);

/** The first operands of subcommands that start programs, or set what is started. */
export const GIT_SUBCOMMANDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["bisect", ["run", "visualize", "view"]],
  ["submodule", ["foreach", "add", "set-url"]],
  ["remote", ["add", "set-url"]],
  ["notes", ["merge", "edit"]],
  ["config", ["set", "unset", "edit", "rename-section", "remove-section"]],
]);
