// The end of output whose reader is gone.
import type { Writable } from 'node:stream';

/** If the reader has closed the pipe (`| head`), it needs no more output, so this is not an error. */
export const quietPipe = (stream: Writable): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
};
