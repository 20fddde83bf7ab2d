/** The JSON pointer of a member or element of what `pointer` points to. */
export function memberPointer(pointer: string, member: string | number): string {
  return `${pointer}/${String(member).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The names and indexes on the way to a place in a value. Indexes of arrays are numbers. */
export function pathOfPointer(pointer: string, root: unknown): (string | number)[] {
  const path: (string | number)[] = [];
  let value = root;
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(Array.isArray(value) ? Number(name) : name);
    value = typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
  }
  return path;
}
