/** The part of a socket that sending needs. */
interface SendingSocket {
  write(bytes: Uint8Array): number;
  end(): void;
}

/** Sends one text over a socket that may take it in parts. */
export interface SocketSender {
  /** Resolves once the system has taken all of it, or the connection is closed. Never rejects. */
  send(text: string, options: { readonly isLast: boolean }): Promise<void>;
  /** To be called whenever the socket takes more. */
  drain(): void;
  /** To be called when the connection is closed. */
  closed(): void;
}

export function createSocketSender(socket: SendingSocket): SocketSender {
  const sent = Promise.withResolvers<void>();
  let rest: Uint8Array = new Uint8Array();
  let isLast = false;

  function drain(): void {
    if (rest.length > 0) {
      const written = socket.write(rest);
      // Negative: the other side has gone, and `close` follows.
      if (written > 0) rest = rest.subarray(written);
      if (rest.length > 0) return;
      sent.resolve();
    }
    if (isLast) socket.end();
  }

  return {
    send(text, options) {
      rest = Buffer.from(text);
      isLast = options.isLast;
      drain();
      return sent.promise;
    },
    drain,
    closed: () => sent.resolve(),
  };
}
