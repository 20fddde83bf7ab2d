/** The builder was told something it does not know. */
export class UsageError extends Error {}
