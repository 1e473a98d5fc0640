// The messages between the daemon and its runner over the runner's socket: one JSON value per line.
import type { Socket } from 'node:net';
import type { Ended, ExecutorErrorKind, Found } from '../../ports/executor.ts';

/** Version of the messages, which must be the same on both sides. Increase it with every incompatible change. */
export const PROTOCOL = 1;

/** The daemon's order for a run. The runner never writes it to disk, because its environment may contain tokens. */
export interface RunOrder {
  /** Name of the run's folder in the runs folder; the daemon creates the folder beforehand. @see `refOf` */
  readonly ref: string;
  readonly executionId: string;
  readonly workerId: string;
  readonly command: readonly string[];
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
  /**
   * Asks the runner to end as soon as no daemon is connected and nothing runs. Runs that were created and not started
   * are then given up.
   */
  | { readonly op: 'retire' };

export type Request = Order & { readonly id: number };

/**
 * After the response to `start` or `attach`, the runner sends all the output and then the end, with the id of the
 * request.
 */
export type Reply =
  | { readonly hello: { readonly protocol: number; readonly pid: number } }
  | { readonly id: number; readonly result: Answer }
  | { readonly id: number; readonly error: { readonly kind: ExecutorErrorKind; readonly message: string } }
  | {
      readonly id: number;
      readonly stream: 'stdout' | 'stderr';
      readonly base64: string;
      /** Bytes of output that are left out before this piece. */
      readonly leftOut?: number;
    }
  | { readonly id: number; readonly ended: Ended };

export interface Answer {
  /** Response to `start` and `attach`: ms since the epoch. */
  readonly startedAt?: number;
  readonly found?: readonly Found[];
}

const refPattern = /^process-([A-Za-z0-9_-]{1,64})\.[0-9a-f]{12}$/;

/**
 * The ref of one run of an execution; undefined if the execution id cannot be part of a folder name. `mark` (12 hex
 * digits) must differ for each run, so that the folder of an attempt that a killed daemon left neither blocks the next
 * attempt nor gets it deleted.
 */
export const refOf = (executionId: string, mark: string): string | undefined => {
  const ref = `process-${executionId}.${mark}`;
  return refPattern.test(ref) ? ref : undefined;
};

/** The execution id in a ref; undefined if the text is not a ref of this executor. */
export const executionOf = (ref: string): string | undefined => refPattern.exec(ref)?.[1];

/**
 * Calls `take` with the value of each line that arrives on a socket. The values are not checked: the peer is actorctl's
 * own program, and only this user can open the socket. A socket error is not reported; `close` follows it.
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

/** Sends one value as a line. The peer may not get it if this process ends before the peer has read it. */
export const writeValue = (socket: Socket, value: Request | Reply): void => {
  socket.write(`${JSON.stringify(value)}\n`);
};
