// Output that can be lost: its reader goes away, or its disk is full.
import type { Writable } from 'node:stream';
import type { Sink } from './ui/sink.ts';

/** What is done when the output is lost, once. What is written later is dropped. */
export interface Loss {
  /** The reader needs no more output: a closed pipe (`| head`), or a closed terminal. By default the process ends. */
  readonly onClosed?: (isTerminal: boolean) => void;
  /** It cannot be written. By default the process ends. */
  readonly onFailure?: (error: Error) => void;
}

/** Output to a stream that never throws, whatever becomes of the stream. */
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
