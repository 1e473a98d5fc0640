// Connects the daemon to its runner, and starts a runner if none responds.
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectOwn } from '../../../src/local/own-place.ts';
import { type Ended, ExecutorError, type LogSink } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import { errorCode } from '../read-field.ts';
import { type Answer, PROTOCOL, type Reply, readValues } from '../runner/protocol.ts';

export interface RunnerOptions {
  readonly runnerPath: string;
  /** Path of a unix socket, of any length, in a folder that only this user can change. The runner works in that folder. */
  readonly socketPath: string;
  readonly runsFolder: string;
  /** File for the runner's error output; overwritten by each new runner. */
  readonly runnerLog: string;
  readonly outputCapBytes: number;
  readonly logger: Logger;
}

export interface Pending {
  answered(answer: Answer): void;
  refused(error: ExecutorError): void;
  output?: LogSink;
  ended?(end: Ended): void;
  lost(): void;
}

/** The sender of a request adds its callbacks to `pending` and removes them when the request is settled. */
export interface Connection {
  readonly socket: Socket;
  readonly pid: number;
  readonly pending: Map<number, Pending>;
}

const CONNECT_MS = 10_000;
const HELLO_MS = 5000;

/** The error for an unavailable runner. `why` continues the sentence "The runner of file: actors". */
export const unavailable = (why: string, cause?: unknown): ExecutorError =>
  new ExecutorError('unavailable', `The runner of file: actors ${why}.`, cause === undefined ? {} : { cause });

/** Connects at the first call. All callers share one connection. */
export const createRunnerDial = (options: RunnerOptions) => {
  let current: Connection | undefined;
  let dialling: Promise<Connection | undefined> | undefined;
  let connecting: Promise<Connection> | undefined;
  let closed = false;

  /**
   * Checks the socket folder. Undefined if there is no folder yet.
   * @throws ExecutorError if another user could have made the socket
   */
  const connect = (): Socket | undefined => {
    try {
      return connectOwn(options.socketPath);
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(String(errorCode(error)))) return undefined;
      throw unavailable(`cannot be asked: ${error instanceof Error ? error.message : String(error)}`, error);
    }
  };

  /** Resolves when the runner has sent its greeting, or with undefined if no runner responds. */
  const dialOnce = (): Promise<Connection | undefined> =>
    new Promise((resolve, reject) => {
      const socket = connect();
      if (socket === undefined) return resolve(undefined);
      const pending: Connection['pending'] = new Map();
      readValues<Reply>(socket, (reply) => {
        if ('hello' in reply) {
          clearTimeout(silence);
          if (closed) socket.destroy();
          else if (reply.hello.protocol === PROTOCOL) {
            current = { socket, pid: reply.hello.pid, pending };
            resolve(current);
          } else {
            reject(unavailable(`(pid ${reply.hello.pid}) has another version. Wait for its runs to end, or end it`));
            socket.destroy();
          }
          return;
        }
        const asked = pending.get(reply.id);
        if ('stream' in reply) asked?.output?.(reply.stream, Buffer.from(reply.base64, 'base64'), reply.leftOut);
        else if ('ended' in reply) asked?.ended?.(reply.ended);
        else if ('error' in reply) asked?.refused(new ExecutorError(reply.error.kind, reply.error.message));
        else asked?.answered(reply.result);
      });
      const silence = setTimeout(() => socket.destroy(), HELLO_MS);
      socket.on('close', () => {
        clearTimeout(silence);
        resolve(undefined);
        if (current?.socket === socket) current = undefined;
        for (const asked of [...pending.values()]) asked.lost();
      });
    });

  const dial = (): Promise<Connection | undefined> => {
    dialling ??= dialOnce().finally(() => {
      dialling = undefined;
    });
    return dialling;
  };

  /** Starts a runner that outlives the daemon, with an empty environment. */
  const launch = (): { failed(): string | undefined } => {
    const { O_CREAT, O_TRUNC, O_WRONLY, O_NOFOLLOW } = constants;
    const log = openSync(options.runnerLog, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW, 0o600);
    let failed: string | undefined;
    try {
      const { runnerPath, socketPath, runsFolder, outputCapBytes } = options;
      const child = spawn(process.execPath, [runnerPath, socketPath, runsFolder, String(outputCapBytes)], {
        cwd: path.dirname(socketPath),
        env: {},
        stdio: ['ignore', log, log],
        detached: true,
      });
      child.once('error', (error) => {
        failed = error.message;
      });
      child.once('exit', (code, signal) => {
        failed = `ended with ${signal ?? code}; see ${options.runnerLog}`;
      });
      child.unref();
      options.logger.info({ pid: child.pid }, 'runner of file: actors started');
    } finally {
      closeSync(log);
    }
    return { failed: () => failed };
  };

  const establish = async (): Promise<Connection> => {
    let launched: ReturnType<typeof launch> | undefined;
    for (const begun = performance.now(); performance.now() - begun < CONNECT_MS; ) {
      if (closed) throw unavailable('is not needed any more: the daemon is stopping');
      const connection = await dial();
      if (connection !== undefined) return connection;
      const failed = launched?.failed();
      if (failed !== undefined) throw unavailable(`cannot be started: ${failed}`);
      launched ??= launch();
      await sleep(5);
    }
    throw unavailable(`did not answer on ${options.socketPath} within ${CONNECT_MS / 1000} s`);
  };
  const connection = async (): Promise<Connection> => {
    if (current !== undefined) return current;
    connecting ??= establish().finally(() => {
      connecting = undefined;
    });
    return await connecting;
  };

  return {
    reach: async (): Promise<Connection | undefined> =>
      closed ? undefined : (current ?? (await (connecting ?? dial()))),
    /** The connection; starts a runner if none answers. @throws ExecutorError unavailable */
    connection,
    isConnected: (): boolean => current !== undefined,
    closed: (): boolean => closed,
    close: (): void => {
      closed = true;
      current?.socket.destroy();
    },
  };
};
