// Reports the result of the daemon's start to the program that started it: one JSON line on an inherited file
// descriptor.
import { closeSync, writeSync } from 'node:fs';

/**
 * Returns a function that writes one JSON line to the descriptor and closes it. Only the first call writes, because the
 * number may later belong to another file. A starter that has ended is ignored.
 */
export const startReporter = (fd: number | undefined): ((word: Readonly<Record<string, unknown>>) => void) => {
  let waiting = fd;
  return (word) => {
    if (waiting === undefined) return;
    const open = waiting;
    waiting = undefined;
    try {
      writeSync(open, `${JSON.stringify(word)}\n`);
      closeSync(open);
    } catch {
      // No reader any more (EPIPE), or the descriptor never was a pipe (EBADF).
    }
  };
};
