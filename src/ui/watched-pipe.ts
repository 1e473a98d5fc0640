// Notices when the reader of a pipe or socket closes it, although nothing is written to it.
import { constants as flags, fstatSync, openSync, writeSync } from 'node:fs';
import { systemCode } from '../failure.ts';

/** Milliseconds between two checks. */
const LOOK_MS = 1_000;

/** The class of Node for TCP handles. Its `open` accepts any descriptor. */
interface TcpBinding {
  readonly TCP: new (type: number) => { open(descriptor: number): number };
  readonly constants: { readonly SOCKET: number };
}

/**
 * Linux marks the write end of a pipe without a reader as failed, and epoll reports that at once. Node polls a
 * descriptor only to read from it, and refuses to read from the write end of a pipe, except through a handle for TCP.
 * Reading then fails as soon as the pipe has no reader. The pipe is opened anew, because the event loop cannot poll
 * the descriptor of process.stdout twice.
 */
const awaitReader = (descriptor: number, gone: () => void): void => {
  const { Socket } = process.getBuiltinModule('node:net');
  const { TCP, constants } = Reflect.get(process, 'binding')('tcp_wrap') as TcpBinding;
  const handle = new TCP(constants.SOCKET);
  if (handle.open(openSync(`/proc/self/fd/${descriptor}`, flags.O_WRONLY | flags.O_NONBLOCK)) !== 0) return;
  const options: object = { handle, readable: true, writable: false };
  new Socket(options)
    .on('error', () => undefined)
    .once('close', gone)
    .unref()
    .resume();
};

/** A write of nothing fails if the reader of a socket has closed it. To a pipe of Linux it never fails. */
const pollReader = (descriptor: number, gone: () => void): void => {
  const timer = setInterval(() => {
    try {
      writeSync(descriptor, '');
    } catch {
      clearInterval(timer);
      gone();
    }
  }, LOOK_MS).unref();
};

/** Calls `gone` once when the reader is gone. If that cannot be noticed, the next write to the pipe fails. */
export const watchReader = (descriptor: number, gone: () => void): void => {
  const kind = fstatSync(descriptor);
  if (!kind.isFIFO() || process.platform !== 'linux') {
    if (kind.isFIFO() || kind.isSocket()) pollReader(descriptor, gone);
    return;
  }
  try {
    awaitReader(descriptor, gone);
  } catch (error) {
    // A named pipe without a reader. Otherwise the pipe belongs to another user, or Node denies access to its internals.
    if (systemCode(error) === 'ENXIO') gone();
  }
};
