// What the daemon and its runner say to each other over the runner's socket: one JSON value per line.
import type { Socket } from 'node:net';
import type { Ended, ExecutorErrorKind, Found } from '../../ports/executor.ts';

/** Both sides must speak the same one; raised with every change that the other side could misread. */
export const PROTOCOL = 1;

/** A run as the runner is given it. It lives in the runner's memory alone: its environment may hold tokens, so it is never on disk. */
export interface RunOrder {
  /** Name of the run's folder below the runs folder; made by the daemon beforehand. @see refOf */
  readonly ref: string;
  readonly executionId: string;
  readonly workerId: string;
  readonly command: readonly string[];
  /** Where the command is started. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly memoryBytes: number;
  readonly pids: number;
}

export type Order =
  | { readonly op: 'create'; readonly run: RunOrder }
  | { readonly op: 'start' | 'attach'; readonly ref: string }
  | { readonly op: 'stop'; readonly ref: string; readonly graceMs: number }
  | { readonly op: 'remove'; readonly ref: string }
  | { readonly op: 'list' }
  /** End as soon as no daemon is connected and nothing runs; what was created and not started is given up then. */
  | { readonly op: 'retire' };

export type Request = Order & { readonly id: number };

/** The answer to `start` and `attach` is followed by the whole output and then the end, all under the id of the request. */
export type Reply =
  | { readonly hello: { readonly protocol: number; readonly pid: number } }
  | { readonly id: number; readonly result: Answer }
  | { readonly id: number; readonly error: { readonly kind: ExecutorErrorKind; readonly message: string } }
  | { readonly id: number; readonly stream: 'stdout' | 'stderr'; readonly base64: string }
  | { readonly id: number; readonly ended: Ended };

export interface Answer {
  /** To `start` and `attach`: ms since the epoch. */
  readonly startedAt?: number;
  /** To `list`. */
  readonly found?: readonly Found[];
}

const refPattern = /^process-([A-Za-z0-9_-]{1,64})\.[0-9a-f]{12}$/;

/**
 * The ref of one run of an execution; undefined when the id could not be the name of a folder. `mark` (12 hex digits) is another one
 * for each run: what a killed daemon left of an earlier attempt must not stand in the way of the next, nor take it along when it is removed.
 */
export const refOf = (executionId: string, mark: string): string | undefined => {
  const ref = `process-${executionId}.${mark}`;
  return refPattern.test(ref) ? ref : undefined;
};

/** The execution that a ref names; undefined when it is no ref of ours. */
export const executionOf = (ref: string): string | undefined => refPattern.exec(ref)?.[1];

/**
 * Calls `take` with the value of each line that arrives on a socket. The values are not checked: the peer is our own
 * program, and only this user can open the socket. An error of the socket is not reported; `close` follows it.
 */
export const readValues = <T>(socket: Socket, take: (value: T) => void): void => {
  let parts: string[] = [];
  socket.setEncoding('utf8');
  socket.on('data', (data) => {
    const text = String(data);
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      parts.push(text.slice(from, end));
      const line = parts.join('');
      parts = [];
      from = end + 1;
      take(JSON.parse(line));
    }
    if (from < text.length) parts.push(text.slice(from));
  });
  socket.on('error', () => socket.destroy());
};

/** Sends one value as a line. */
export const writeValue = (socket: Socket, value: Request | Reply): void => {
  socket.write(`${JSON.stringify(value)}\n`);
};
