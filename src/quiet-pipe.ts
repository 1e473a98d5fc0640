// The end of output whose reader is gone.
import type { Writable } from 'node:stream';
import type { Sink } from './ui/sink.ts';

/**
 * Output to a stream whose reader may go away: a closed pipe (`| head`), or a closed terminal. The reader needs no more
 * output, so this is not an error, and what is written later is dropped.
 * @param onClosed called once when the reader is gone; by default the process ends
 */
export const quietPipe = (
  stream: Writable & Omit<Sink, 'write'>,
  onClosed: () => void = () => process.exit(0),
): Sink => {
  let isOpen = true;
  const isClosing = ({ code }: NodeJS.ErrnoException): boolean =>
    code === 'EPIPE' || (code === 'EIO' && stream.isTTY === true);
  stream.on('error', (error) => {
    if (!isClosing(error)) throw error;
    if (isOpen) onClosed();
    isOpen = false;
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
