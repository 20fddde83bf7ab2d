/** Whether a path is Bun's name for something inside the executable, on POSIX or on Windows. */
export function isEmbeddedPath(path: string): boolean {
  return path.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN[\\/]/.test(path);
}
