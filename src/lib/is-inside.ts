/** Whether an absolute path is a directory or below it, component by component: `/a/bc` is not inside `/a/b`. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}
