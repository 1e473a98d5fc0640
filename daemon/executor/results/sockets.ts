// The result sockets of runs: made before a run starts, read while it runs, emptied after its end, gone with it.
import { chmod, lstat, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../ports/logger.ts';
import { wordsOf } from '../engine/engine-error.ts';
import type { Frame } from './frames.ts';
import type { ReceiverProgram } from './programs.ts';
import { type Receiver, startReceiver } from './receiver.ts';

export interface ResultSockets {
  /**
   * Makes the socket of an execution and answers its path; once more for a further run of the same execution, whose socket it is as well.
   * Undefined where there can be none; `problem` says why. With `openToAll` any user may send to it, as one of a container must: nobody else
   * gets into the folder.
   */
  open(executionId: string, options?: { readonly openToAll: boolean }): Promise<string | undefined>;
  /** Resolves when everything that was sent so far has been handed over. Never rejects. */
  drain(executionId: string): Promise<void>;
  /** One run of the execution is gone; with its last one its socket goes. */
  release(executionId: string): void;
  /** Why runs have no socket; undefined when they do. */
  problem(): Promise<string | undefined>;
  /** Ends the receiver; sockets that are left are dead. */
  close(): void;
}

export interface ResultSocketsInputs {
  /** Where sockets may be, best first: absolute, not below the data folder. The first in which their paths are short enough is taken. */
  readonly folders: readonly string[];
  /** Takes a result in. Its errors are logged. */
  readonly deliver: (executionId: string, bytes: Uint8Array) => Promise<unknown>;
  readonly logger: Logger;
  /** For tests: the programs to choose from. */
  readonly programs?: readonly ReceiverProgram[];
}

/** Of the path of a socket, in bytes: macOS takes 103 and a NUL. */
const PATH_LIMIT = 100;
/** Of the name of a socket, an execution's id. */
const NAME_LENGTH = 13;
const ANSWER_MS = 10_000;
/** A receiver that ends so often is not started again. */
const LOSS_LIMIT = 5;
/** Bytes that were received and are not durable yet; with more, senders wait. */
const UNDERWAY_LIMIT = 4 * 1024 * 1024;

interface Socket {
  readonly path: string;
  readonly mode: number;
  /** Runs of the execution that have it, or are to have it. */
  runs: number;
  /** Resolves with whether it is there. */
  made: Promise<boolean>;
  readonly deliveries: Set<Promise<void>>;
  complained: boolean;
}

/** @throws Error when the folder belongs to somebody else, or `forbidden` bits of its mode are set */
const demandOwn = async (folder: string, forbidden: number): Promise<void> => {
  const { mode, uid } = await lstat(folder);
  if (uid !== process.getuid?.() || (mode & forbidden) !== 0) throw new Error(`others may use the folder ${folder}`);
};

/** Makes the folder anew, for this user alone: what an earlier daemon left in it is dead. @throws Error */
const prepare = async (folder: string): Promise<void> => {
  const parent = path.dirname(folder);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await demandOwn(parent, 0o022);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  await demandOwn(folder, 0o077);
};

export const createResultSockets = (inputs: ResultSocketsInputs): ResultSockets => {
  const { deliver, logger } = inputs;
  const sockets = new Map<string, Socket>();
  /** Who waits for what the receiver is to say of an execution: `o`, `e` or `f`. */
  const waiting = new Map<string, ((frame: Frame | undefined) => void)[]>();
  const folder = inputs.folders.find((each) => Buffer.byteLength(each) + 1 + NAME_LENGTH <= PATH_LIMIT);
  let receiver: Promise<Receiver> | undefined;
  let alive: Receiver | undefined;
  let underway = 0;
  let prepared = false;
  let losses = 0;
  let failure: string | undefined;
  let closed = false;

  const receive = (executionId: string, bytes: Buffer): void => {
    const socket = sockets.get(executionId);
    if (socket === undefined) return;
    underway += bytes.length;
    if (underway > UNDERWAY_LIMIT) alive?.pause();
    const delivery = deliver(executionId, bytes)
      .catch((error: unknown) => {
        // Once for each execution: an actor can send as many as it likes.
        if (!socket.complained) logger.warn({ executionId, why: wordsOf(error) }, 'a result was dropped');
        socket.complained = true;
      })
      .then(() => {
        underway -= bytes.length;
        if (underway <= UNDERWAY_LIMIT) alive?.resume();
        socket.deliveries.delete(delivery);
      });
    socket.deliveries.add(delivery);
  };

  const told = (frame: Frame): void => {
    if (frame.kind === 'd') receive(frame.id, frame.bytes);
    else waiting.get(frame.id)?.shift()?.(frame);
  };

  /** The receiver has ended: nobody answers any more, and sockets must be made anew. */
  const lose = (): void => {
    alive = undefined;
    receiver = undefined;
    for (const resolvers of waiting.values()) for (const resolve of resolvers.splice(0)) resolve(undefined);
    losses += 1;
    if (closed) return;
    logger.warn({ losses }, 'the receiver of results has ended; containers that run hand results out over HTTP only');
    for (const [executionId, socket] of sockets) socket.made = make(executionId, socket);
  };

  const begin = async (): Promise<Receiver> => {
    if (losses >= LOSS_LIMIT) throw new Error('the receiver of unix datagrams ended again and again');
    if (folder === undefined) throw new Error(`the paths of sockets would be too long (${inputs.folders.join(', ')})`);
    if (!prepared) {
      await prepare(folder);
      prepared = true;
    }
    const begun = await startReceiver(told, inputs.programs);
    alive = begun;
    void begun.ended.then(lose);
    return begun;
  };

  const reach = (): Promise<Receiver> => {
    receiver ??= begin();
    return receiver;
  };

  /** Sends an order and answers what is said to it; undefined when nothing is. Orders about one execution are answered in order. */
  const ask = (to: Receiver, verb: string, executionId: string, rest = ''): Promise<Frame | undefined> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
      const mine = waiting.get(executionId) ?? [];
      mine.push((frame) => {
        clearTimeout(timer);
        resolve(frame);
      });
      waiting.set(executionId, mine);
      to.order(`${verb} ${executionId}${rest}`);
    });

  const make = async (executionId: string, place: Pick<Socket, 'path' | 'mode'>): Promise<boolean> => {
    try {
      const answer = await ask(await reach(), 'open', executionId, ` ${place.path}`);
      if (answer?.kind === 'o') {
        await chmod(place.path, place.mode);
        return true;
      }
      throw new Error(answer === undefined ? 'the receiver does not answer' : answer.bytes.toString());
    } catch (error) {
      const why = wordsOf(error);
      if (why !== failure) logger.warn({ executionId, why }, 'executions have no result socket');
      failure = why;
      return false;
    }
  };

  const release = (executionId: string): void => {
    const socket = sockets.get(executionId);
    if (socket === undefined) return;
    socket.runs -= 1;
    if (socket.runs > 0) return;
    sockets.delete(executionId);
    waiting.delete(executionId);
    alive?.order(`close ${executionId}`);
  };

  return {
    async open(executionId, { openToAll } = { openToAll: false }) {
      if (closed || folder === undefined || !/^[A-Za-z0-9]{13}$/.test(executionId)) return undefined;
      let socket = sockets.get(executionId);
      if (socket === undefined) {
        const socketPath = path.join(folder, executionId);
        const place = { path: socketPath, mode: openToAll ? 0o777 : 0o600 };
        socket = { ...place, runs: 0, made: make(executionId, place), deliveries: new Set(), complained: false };
        sockets.set(executionId, socket);
      }
      socket.runs += 1;
      if (await socket.made) return socket.path;
      release(executionId);
      return undefined;
    },

    async drain(executionId) {
      const socket = sockets.get(executionId);
      if (socket === undefined) return;
      if (alive !== undefined) await ask(alive, 'flush', executionId);
      await Promise.all(socket.deliveries);
    },

    release,

    async problem() {
      try {
        await reach();
        return undefined;
      } catch (error) {
        return wordsOf(error);
      }
    },

    close() {
      closed = true;
      alive?.close();
    },
  };
};
