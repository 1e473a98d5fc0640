// The daemon's side of the runner's socket: connects, starts a runner when none answers, and takes runs up again after a loss.
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { connect as connectTo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ended, ExecutorError, type LogSink, type Running } from '../ports/executor.ts';
import type { Logger } from '../ports/logger.ts';
import { type Answer, lineReader, type Order, PROTOCOL, type Reply } from './runner/protocol.ts';

export interface RunnerLinkOptions {
  /** The runner's program, a JavaScript file for node. */
  readonly runnerPath: string;
  /** Unix socket in a folder of mode 0700; at most about 100 bytes. */
  readonly socketPath: string;
  readonly runsFolder: string;
  /** Where a runner's last words go; begun anew with each runner. */
  readonly runnerLog: string;
  readonly outputCapBytes: number;
  readonly logger: Logger;
}

export interface RunnerLink {
  /** Connects to the runner if one answers, and says whether. */
  reach(): Promise<boolean>;
  /** Connects, starting a runner if none answers. @throws ExecutorError unavailable */
  up(): Promise<void>;
  /** Sends one order, starting a runner if none answers. @throws ExecutorError of any kind */
  ask(order: Order, timeoutMs?: number): Promise<Answer>;
  /** Starts or attaches, and follows. @throws ExecutorError start, lost, unavailable */
  follow(op: 'start' | 'attach', ref: string, sink: LogSink): Promise<Running>;
  /** Lets go. What is followed is not told its end any more. */
  close(): void;
}

interface Pending {
  answered(answer: Answer): void;
  refused(error: ExecutorError): void;
  output?(stream: 'stdout' | 'stderr', data: Buffer): void;
  ended?(end: Ended): void;
  /** The connection is gone. */
  lost(): void;
}

interface Connection {
  readonly socket: Socket;
  readonly pending: Map<number, Pending>;
}

const CONNECT_MS = 10_000;
const ANSWER_MS = 10_000;
const HELLO_MS = 5000;
const RETRY_MS = 1000;

const unavailable = (why: string, cause?: unknown): ExecutorError =>
  new ExecutorError('unavailable', `The runner of file: actors ${why}.`, cause === undefined ? {} : { cause });

/** Makes no connection yet. */
export const createRunnerLink = (options: RunnerLinkOptions): RunnerLink => {
  let current: Connection | undefined;
  let dialling: Promise<Connection | undefined> | undefined;
  let connecting: Promise<Connection> | undefined;
  let closed = false;
  let nextId = 1;

  /** Resolves once the runner has said hello; undefined when there is none. */
  const dialOnce = (): Promise<Connection | undefined> =>
    new Promise((resolve, reject) => {
      const socket = connectTo(options.socketPath);
      const connection: Connection = { socket, pending: new Map() };
      const read = lineReader<Reply>((reply) => {
        if ('hello' in reply) {
          clearTimeout(silence);
          if (reply.hello.protocol === PROTOCOL) {
            current = connection;
            resolve(connection);
          } else {
            reject(unavailable(`(pid ${reply.hello.pid}) is of another version. Wait for its runs to end, or end it`));
            socket.destroy();
          }
          return;
        }
        const pending = connection.pending.get(reply.id);
        if ('stream' in reply) pending?.output?.(reply.stream, Buffer.from(reply.base64, 'base64'));
        else if ('ended' in reply) pending?.ended?.(reply.ended);
        else if ('error' in reply) pending?.refused(new ExecutorError(reply.error.kind, reply.error.message));
        else pending?.answered(reply.result);
      });
      const silence = setTimeout(() => socket.destroy(), HELLO_MS);
      socket.setEncoding('utf8');
      socket.on('data', (text) => read(String(text)));
      // No runner, or one that is just going: 'close' follows.
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        clearTimeout(silence);
        resolve(undefined);
        if (current === connection) current = undefined;
        for (const pending of [...connection.pending.values()]) pending.lost();
      });
    });

  const dial = (): Promise<Connection | undefined> => {
    dialling ??= dialOnce().finally(() => {
      dialling = undefined;
    });
    return dialling;
  };

  /** Starts a runner that outlives us, with nothing of our environment. */
  const launch = (): { failed(): string | undefined } => {
    const { O_CREAT, O_TRUNC, O_WRONLY, O_NOFOLLOW } = constants;
    const log = openSync(options.runnerLog, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW, 0o600);
    let failed: string | undefined;
    try {
      const { runnerPath, socketPath, runsFolder, outputCapBytes } = options;
      const child = spawn(process.execPath, [runnerPath, socketPath, runsFolder, String(outputCapBytes)], {
        cwd: '/',
        env: {},
        stdio: ['ignore', log, log],
        detached: true,
      });
      child.once('error', (error) => {
        failed = error.message;
      });
      child.once('exit', (code, signal) => {
        failed = `ended with ${signal ?? code}, see ${options.runnerLog}`;
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

  const post = (to: Connection, order: Order, pending: Pending): number => {
    const id = nextId;
    nextId += 1;
    to.pending.set(id, pending);
    to.socket.write(`${JSON.stringify({ ...order, id })}\n`);
    return id;
  };

  const ask = async (order: Order, timeoutMs = ANSWER_MS): Promise<Answer> => {
    const to = await connection();
    return await new Promise<Answer>((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        to.pending.delete(id);
        act();
      };
      const timer = setTimeout(() => settle(() => reject(unavailable(`did not answer to "${order.op}"`))), timeoutMs);
      const id = post(to, order, {
        answered: (answer) => settle(() => resolve(answer)),
        refused: (error) => settle(() => reject(error)),
        lost: () => settle(() => reject(unavailable(`went away during "${order.op}"`))),
      });
    });
  };

  /** One attempt to follow. `told` keeps count of what the sink has, so that a later attempt goes on there. */
  const attempt = async (
    op: 'start' | 'attach',
    ref: string,
    sink: LogSink,
    told: { bytes: number },
  ): Promise<Running> => {
    const to = await connection();
    let skip = told.bytes;
    return await new Promise<Running>((resolve, reject) => {
      let end: (ended: Ended | Promise<Ended>) => void = () => undefined;
      const ended = new Promise<Ended>((settle) => {
        end = settle;
      });
      let answered = false;
      const timer = setTimeout(() => {
        to.pending.delete(id);
        reject(unavailable(`did not answer to "${op}"`));
      }, ANSWER_MS);
      const id = post(
        to,
        { op, ref },
        {
          answered: ({ startedAt = 0 }) => {
            clearTimeout(timer);
            answered = true;
            // Whoever follows need not look at the end; a rejection that nobody looks at must not take the daemon down.
            ended.catch(() => undefined);
            resolve({ startedAt, ended });
          },
          refused: (error) => {
            clearTimeout(timer);
            to.pending.delete(id);
            reject(error);
          },
          output: (stream, data) => {
            const fresh = data.subarray(skip);
            skip -= data.length - fresh.length;
            told.bytes += fresh.length;
            if (fresh.length > 0) sink(stream, fresh);
          },
          ended: (known) => {
            to.pending.delete(id);
            end(known);
          },
          lost: () => {
            clearTimeout(timer);
            if (!answered) reject(unavailable(`went away during "${op}"`));
            else if (!closed) end(resume(ref, sink, told));
          },
        },
      );
    });
  };

  /** After a loss: what the new runner still knows goes on; what went down with the old one is `lost`. */
  const resume = async (ref: string, sink: LogSink, told: { bytes: number }): Promise<Ended> => {
    for (;;) {
      try {
        return await (await attempt('attach', ref, sink, told)).ended;
      } catch (error) {
        if (closed || !(error instanceof ExecutorError) || error.kind !== 'unavailable') throw error;
        options.logger.warn({ ref, reason: error.message }, 'the runner is away; trying again');
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  };

  return {
    reach: async () => (current ?? (await (connecting ?? dial()))) !== undefined,
    up: async () => {
      await connection();
    },
    ask,
    follow: (op, ref, sink) => attempt(op, ref, sink, { bytes: 0 }),
    close: () => {
      closed = true;
      current?.socket.destroy();
    },
  };
};
