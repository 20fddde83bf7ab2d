/** Loads the parser of shell texts: where a command is not made of plain words alone. */
export const loadShellParser = () => import("./parser.ts");
