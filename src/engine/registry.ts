/** What cleans up behind runs that are gone. A run looks for them only where it wants a name that one of them may hold. */
export const loadReaping = () => import("./reap.ts");
