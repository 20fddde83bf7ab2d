/** Programs that only note how they were called. */
export const CANARIES: readonly string[] = [
  "canary", "npm", "git", "curl", "make", "sudo", "doas", "strace", "ls", "cat", "head", "tail", "wc", "grep", "sort", "uniq", "cut", "touch", "mkdir", "rm", "cp", "mv", "tee", "sed", "awk", "tar", "date", "python", "pushx", "foo", "bar",
];

/** Programs that start others, which are the real ones. */
export const WRAPPERS: readonly string[] = ["env", "timeout", "nice", "nohup", "stdbuf", "setsid", "xargs", "find", "sh", "bash", "dash"];

/** Those that only read, without any rule. */
export const READERS: ReadonlySet<string> = new Set(["ls", "cat", "head", "tail", "wc", "grep", "sort", "uniq", "cut", "date", "git", "sed", "awk", "tar"]);

/** Those whose arguments name what they change. */
export const WRITERS: ReadonlySet<string> = new Set(["touch", "mkdir", "rm", "cp", "mv", "tee", "sort", "uniq", "sed", "awk", "tar"]);
