// Reports the daemon's start to the program that started it: JSON lines on an inherited file descriptor.
import { closeSync, writeSync } from 'node:fs';

/** Creates the reporter. A starting program that has already ended is ignored. */
export const startReporter = (fd: number | undefined) => {
  let waiting = fd;
  let told = '';
  const write = (open: number, word: unknown): void => {
    try {
      writeSync(open, `${JSON.stringify(word)}\n`);
    } catch {
      // The reader has ended (EPIPE), or the descriptor was never a pipe (EBADF).
    }
  };
  return {
    /** Writes the finished fraction of a long start, from 0 to 1. */
    progress(part: number): void {
      const progress = part.toFixed(2);
      if (waiting === undefined || progress === told) return;
      told = progress;
      write(waiting, { progress: Number(progress) });
    },
    /**
     * Nothing is written after the first call: the number of the closed descriptor may later belong to another file.
     */
    end(word: Readonly<Record<string, unknown>>): void {
      if (waiting === undefined) return;
      const open = waiting;
      waiting = undefined;
      write(open, word);
      try {
        closeSync(open);
      } catch {
        // The descriptor was never open.
      }
    },
  };
};
