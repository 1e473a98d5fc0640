// The terminal of this process, for a program that runs elsewhere.
import type { Sink } from './sink.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface Terminal {
  /** True if stdin and stdout are terminals. */
  readonly isInteractive: boolean;
  readonly size: () => TerminalSize;
  /** Stdin in pieces. */
  readonly input: () => AsyncIterable<Uint8Array>;
  /**
   * Passes keys on as they are, Ctrl-C too, and calls back when the size changes, until the returned function is called.
   */
  readonly takeOver: (onResize: (size: TerminalSize) => void) => () => void;
}

const ROWS = 24;
const COLUMNS = 80;

/** Accesses stdin only when it is read or taken over. */
export const createTerminal = (around: {
  readonly stdinTty: boolean;
  readonly stdout: Sink;
  readonly openStdin: () => AsyncIterable<Uint8Array>;
}): Terminal => {
  const isInteractive = around.stdinTty && around.stdout.isTTY === true;
  const size = (): TerminalSize => {
    const { columns, rows } = around.stdout;
    // A terminal without a size reports 0.
    return { columns: columns || COLUMNS, rows: rows || ROWS };
  };
  return {
    isInteractive,
    size,
    input: around.openStdin,
    takeOver: (onResize) => {
      if (!isInteractive) return () => undefined;
      const { stdin } = process;
      const resized = (): void => onResize(size());
      // A terminal that was closed cannot be read or reset. SIGHUP ends the command then.
      stdin.on('error', () => undefined);
      stdin.setRawMode(true);
      process.stdout.on('resize', resized);
      return () => {
        process.stdout.off('resize', resized);
        stdin.pause().setRawMode(false);
      };
    },
  };
};
