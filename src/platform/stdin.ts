import { fstatSync } from "node:fs";
import { AppError } from "../core/errors.ts";

/** Whether descriptor 0 is something that can be read to an end: a pipe, a socket, a file. Not when it is closed or a device. */
export function hasStdin(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isSocket() || stat.isFile();
  } catch {
    return false;
  }
}

/**
 * Everything that comes on standard input, as text. Undefined when nothing came within `silentMsMax`: somebody holds a
 * pipe open that nobody writes to, as cron and CI do. Once something came, all of it is waited for.
 *
 * Throws `AppError` of reason `usage` when there is more than `bytesMax`.
 */
export async function readStdin(options: { readonly bytesMax: number; readonly silentMsMax?: number }): Promise<string | undefined> {
  const arrived = Promise.withResolvers<"something" | "silence">();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reading = (async () => {
    for await (const chunk of Bun.stdin.stream()) {
      arrived.resolve("something");
      length += chunk.length;
      if (length > options.bytesMax) throw new AppError("usage", `Standard input is longer than ${options.bytesMax} bytes`);
      chunks.push(chunk);
    }
    arrived.resolve("something");
    return Buffer.concat(chunks).toString();
  })();
  if (options.silentMsMax !== undefined) {
    const timer = setTimeout(() => arrived.resolve("silence"), options.silentMsMax);
    const isSilent = (await Promise.race([arrived.promise, reading.then(() => "something", () => "something")])) === "silence";
    clearTimeout(timer);
    if (isSilent) {
      // Nobody waits for what may still come.
      void reading.catch(() => undefined);
      return undefined;
    }
  }
  return await reading;
}
