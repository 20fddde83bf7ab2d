import { linuxLibc } from "./libc.ts";

/** The request for the size of a terminal, which is filled in as rows, columns and two numbers that nobody keeps. */
const TIOCGWINSZ = 0x5413n;
const SIZE_LENGTH = 4;
const COLUMNS_INDEX = 1;

/** The width of the terminal on a descriptor, in characters; undefined where there is no terminal or it does not say. */
export function terminalColumns(fd: number): number | undefined {
  const columns = process.platform === "linux" ? askKernel(fd) : askRuntime(fd);
  return columns !== undefined && columns > 0 ? columns : undefined;
}

function askKernel(fd: number): number | undefined {
  const size = new Uint16Array(SIZE_LENGTH);
  return linuxLibc().ioctl(fd, TIOCGWINSZ, size) === 0 ? size[COLUMNS_INDEX] : undefined;
}

/** Slower: it loads the streams of terminals and makes one. */
function askRuntime(fd: number): number | undefined {
  const tty = process.getBuiltinModule("node:tty");
  return tty.isatty(fd) ? new tty.WriteStream(fd).columns : undefined;
}
