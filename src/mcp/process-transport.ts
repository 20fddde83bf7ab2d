import type { ServerProcess } from "./server-process.ts";

/** Carries JSON-RPC messages, one a line, to a server and back: what the client library speaks through. */
export interface ProcessTransport<Message> {
  start(): Promise<void>;
  send(message: Message): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: Message) => void) | undefined;
}

/** @param isMessage what else a server prints is left out, as logs that went to the wrong place */
export function createProcessTransport<Message>(server: ServerProcess, isMessage: (value: unknown) => value is Message): ProcessTransport<Message> {
  const transport: ProcessTransport<Message> = {
    async start() {
      void receive().finally(() => transport.onclose?.());
      await Promise.resolve();
    },
    send: (message) => server.write(JSON.stringify(message)),
    close: () => server.end(),
  };

  async function receive(): Promise<void> {
    try {
      for await (const line of server.lines) {
        const message = parsed(line);
        if (isMessage(message)) transport.onmessage?.(message);
      }
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
  return transport;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
