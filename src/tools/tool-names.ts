/**
 * The names of all tools, in the order in which models see them. Apart from the tools themselves, so that a rule can be
 * checked without loading any.
 */
export const TOOL_NAMES = ["Bash", "Read", "Write", "Edit", "Glob", "Grep", "TodoWrite", "TaskOutput", "TaskStop", "Agent", "SendMessage", "EnterWorktree", "ExitWorktree"] as const;
