import { AppError } from "../core/errors.ts";
import { abortableSleep } from "../lib/abortable-sleep.ts";
import { CONTROL_LINE_BYTES_MAX, encodeFailure, encodeResult } from "./control-protocol.ts";
import { collectFirstLine, type FirstLine } from "./first-line.ts";
import { isTrustedUser, peerUser } from "./peer-user.ts";
import { createSocketSender, type SocketSender } from "./socket-sender.ts";

/** The first line of a connection must be there after this time: idle connections do not pile up. */
const REQUEST_TIMEOUT_S = 10;
const LAST_ANSWERS_LIMIT_MS = 1_000;

interface Connection {
  readonly line: FirstLine;
  readonly sender: SocketSender;
  readonly closing: AbortController;
  hasRequest: boolean;
}

/**
 * Listens on a Unix socket and gives each connection one answer: to its first line, or to a line that is too long.
 *
 * Throws the system's error when the socket cannot be made.
 *
 * @param answer what it resolves with goes back as a result, what it rejects with as a failure; its signal is aborted
 *   when the client has gone
 * @param peerOf tells the user at the other end, for tests
 */
export function listenForLines(path: string, answer: Answer, peerOf: (socketFd: number) => number | undefined = peerUser): LineListener {
  const answers = new Set<Promise<void>>();
  const server = Bun.listen<Connection>({
    unix: path,
    socket: {
      open(socket) {
        socket.data = {
          line: collectFirstLine({ bytesMax: CONTROL_LINE_BYTES_MAX, tooLong: requestTooLong }),
          sender: createSocketSender(socket),
          closing: new AbortController(),
          hasRequest: false,
        };
        // The folder of the socket keeps others away; should its mode ever be changed, the kernel still knows them.
        const fd = descriptorOf(socket);
        if (fd === undefined || isTrustedUser(peerOf(fd))) socket.timeout(REQUEST_TIMEOUT_S);
        else socket.terminate();
      },
      data(socket, chunk) {
        const line = receive(socket.data, chunk);
        if (line === undefined) return;
        socket.timeout(0);
        const answered = reply(socket.data, line, answer);
        answers.add(answered);
        // `reply` never rejects.
        void answered.then(() => answers.delete(answered));
      },
      drain: (socket) => socket.data.sender.drain(),
      timeout: (socket) => {
        socket.terminate();
      },
      close(socket) {
        socket.data.closing.abort();
        socket.data.sender.closed();
      },
      error: (socket) => {
        socket.terminate();
      },
    },
  });
  return {
    async stop() {
      server.stop(false);
      const closing = new AbortController();
      await Promise.race([Promise.all(answers), abortableSleep(LAST_ANSWERS_LIMIT_MS, closing.signal)]);
      // Its timer would keep the process alive.
      closing.abort();
      server.stop(true);
    },
  };
}

/** The runtime has it, its types do not name it. */
function descriptorOf(socket: object): number | undefined {
  return "fd" in socket && typeof socket.fd === "number" && socket.fd >= 0 ? socket.fd : undefined;
}

type Answer = (line: string, signal: AbortSignal) => Promise<unknown>;

export interface LineListener {
  /** Takes no more connections, gives the answers that are being made one second, then closes everything. */
  stop(): Promise<void>;
}

async function reply({ sender, closing }: Connection, line: string, answer: Answer): Promise<void> {
  const text = await answer(line, closing.signal).then(encodeResult).catch(encodeFailure);
  await sender.send(text, { isLast: true });
}

function receive(connection: Connection, chunk: Uint8Array): string | undefined {
  if (connection.hasRequest) return undefined;
  try {
    const line = connection.line.push(chunk);
    connection.hasRequest = line !== undefined;
    return line;
  } catch (error) {
    connection.hasRequest = true;
    void connection.sender.send(encodeFailure(error), { isLast: true });
    return undefined;
  }
}

function requestTooLong(): AppError {
  return new AppError("usage", `Cannot understand the request: it is longer than ${CONTROL_LINE_BYTES_MAX} bytes`, { code: "too_long" });
}
