/** A program that was started in a terminal of its own. */
export interface TerminalProgram {
  readonly pid: number;
  /** Everything shown so far, as the terminal got it. */
  readonly shown: () => string;
  readonly exited: Promise<number>;
  /** Presses keys; `\u0003` is Ctrl-C. */
  type(keys: string): void;
  /** Takes the terminal away, as closing its window does. */
  hangUp(): void;
}

export interface TerminalOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly columns?: number;
}

/** Starts a program with all three of its streams on a new pseudo-terminal, as the session leader that owns it. */
export function startInTerminal(argv: readonly string[], options: TerminalOptions): TerminalProgram {
  const decoder = new TextDecoder();
  const ended = Promise.withResolvers<void>();
  let text = "";
  const child = Bun.spawn([...argv], {
    cwd: options.cwd,
    env: { TERM: "xterm-256color", ...options.env },
    terminal: {
      cols: options.columns ?? 100,
      rows: 30,
      data(_terminal, bytes) {
        text += decoder.decode(bytes, { stream: true });
      },
      exit: () => ended.resolve(),
    },
  });
  return {
    pid: child.pid,
    shown: () => text,
    // What was written last may still be on its way when the program is gone.
    exited: child.exited.then(async (code) => {
      await Promise.race([ended.promise, Bun.sleep(100)]);
      return code;
    }),
    type: (keys) => void child.terminal?.write(keys),
    hangUp: () => child.terminal?.close(),
  };
}

/** Runs a program in a terminal to its end. */
export async function runInTerminal(argv: readonly string[], options: TerminalOptions): Promise<{ readonly shown: string; readonly exitCode: number }> {
  const program = startInTerminal(argv, options);
  const exitCode = await program.exited;
  return { shown: program.shown(), exitCode };
}
