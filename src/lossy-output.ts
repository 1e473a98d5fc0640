// Output that may fail: its reader closes the pipe, or its disk is full.
import type { Writable } from 'node:stream';
import type { Sink } from './ui/sink.ts';

/** Handlers for failed output. Each is called at most once, and later writes are dropped. */
export interface Loss {
  /** Called if the reader has closed the pipe (`| head`) or the terminal. By default the process ends. */
  readonly onClosed?: (isTerminal: boolean) => void;
  /** Called if writing fails. By default the process ends. */
  readonly onFailure?: (error: Error) => void;
}

/** Creates output to a stream. Writing never throws, whatever happens to the stream. */
export const lossyOutput = (
  stream: Writable & Omit<Sink, 'write'>,
  { onClosed = () => process.exit(0), onFailure = () => process.exit(1) }: Loss = {},
): Sink => {
  let isOpen = true;
  const isTerminalLost = ({ code }: NodeJS.ErrnoException): boolean => code === 'EIO' && stream.isTTY === true;
  const isClosing = (error: NodeJS.ErrnoException): boolean => error.code === 'EPIPE' || isTerminalLost(error);
  stream.on('error', (error: Error) => {
    if (!isOpen) return;
    isOpen = false;
    if (isClosing(error)) onClosed(isTerminalLost(error));
    else onFailure(error);
  });
  return {
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return stream.columns;
    },
    get rows() {
      return stream.rows;
    },
    write: (chunk, done) => {
      if (isOpen) return stream.write(chunk, (error) => done?.(error && isClosing(error) ? null : error));
      if (done) setImmediate(done);
      return true;
    },
  };
};
