import { AppError } from "../core/errors.ts";
import { CONTROL_LINE_BYTES_MAX } from "./control-protocol.ts";
import { collectFirstLine } from "./first-line.ts";
import { createSocketSender, type SocketSender } from "./socket-sender.ts";

interface ClientEvents {
  readonly line: string;
  readonly onLine: (line: string) => void;
  readonly onClosed: () => void;
  readonly onFailed: (error: unknown) => void;
}

/**
 * Connects, sends one line and reports the first line that comes back.
 *
 * Never rejects: a failed connection is reported both by the handler and by the promise, and either may come first.
 */
export function connectForLine(path: string, { line, onLine, onClosed, onFailed }: ClientEvents): Promise<{ terminate(): void } | undefined> {
  const answer = collectFirstLine({
    bytesMax: CONTROL_LINE_BYTES_MAX,
    tooLong: () => new AppError("internal", "Cannot understand the answer of the run: it is too long", { code: "too_long" }),
  });
  return Bun.connect<SocketSender>({
    unix: path,
    socket: {
      open(socket) {
        socket.data = createSocketSender(socket);
        void socket.data.send(line, { isLast: false });
      },
      data(_socket, chunk) {
        try {
          const received = answer.push(chunk);
          if (received !== undefined) onLine(received);
        } catch (error) {
          onFailed(error);
        }
      },
      drain: (socket) => socket.data.drain(),
      close: onClosed,
      error: (_socket, error) => onFailed(error),
      connectError: (_socket, error) => onFailed(error),
    },
  }).catch((error: unknown) => {
    onFailed(error);
    return undefined;
  });
}
