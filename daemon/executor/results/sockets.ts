// The result sockets of runs: created before a run is created, read while it runs, drained after its end, removed with
// the run.
import { chmod, lstat, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../ports/logger.ts';
import { engineMessage } from '../engine/engine-error.ts';
import type { Frame } from './frames.ts';
import type { ReceiverProgram } from './programs.ts';
import { type Receiver, startReceiver } from './receiver.ts';

export interface ResultSockets {
  /**
   * Creates the socket of an execution and returns its path. Further runs of the same execution share it. Returns
   * undefined if no socket is possible; `problem` says why. With `openToAll`, any user may send to the socket, as users
   * inside a container must; the folder stays closed to other users of this machine.
   */
  open(executionId: string, options?: { readonly openToAll: boolean }): Promise<string | undefined>;
  /** Resolves when every result that was sent so far is delivered. Never rejects. */
  drain(executionId: string): Promise<void>;
  /** Must be called when a run of the execution is removed. The last call removes the socket. */
  release(executionId: string): void;
  /** Why runs have no socket; undefined if they have one. */
  problem(): Promise<string | undefined>;
  /** Ends the receiver. Sockets that are still open stop working. With `removeAll` their folder is removed. */
  close(options: { readonly removeAll: boolean }): Promise<void>;
}

export interface ResultSocketsInputs {
  /**
   * Possible folders for the sockets, best first: absolute, not inside the data folder. The first one with short enough
   * paths is used.
   */
  readonly folders: readonly string[];
  /** Stores a result. Its errors are logged. */
  readonly deliver: (executionId: string, bytes: Uint8Array) => Promise<unknown>;
  readonly logger: Logger;
  /** For tests: the receiver programs to try. */
  readonly programs?: readonly ReceiverProgram[];
}

/** Longest path of a socket in bytes: macOS allows 103 and a NUL character. */
const PATH_LIMIT = 100;
/** Length of a socket's file name, which is an execution id. */
const NAME_LENGTH = 13;
/** The mode with which the receiver creates sockets. */
const OWN_MODE = 0o600;
const ANSWER_MS = 10_000;
/** A receiver that has ended this many times is not started again. */
const LOSS_LIMIT = 5;
/** Time (ms) after which a receiver that could not be started is tried again, for example because processes were scarce. */
const RETRY_MS = 60_000;
/** Bytes received but not stored yet; above this limit, senders have to wait. */
const PENDING_LIMIT = 4 * 1024 * 1024;

interface Socket {
  readonly path: string;
  readonly mode: number;
  /** Number of runs of the execution that use the socket. */
  runs: number;
  /** Resolves to true if the socket is open. */
  opened: Promise<boolean>;
  readonly deliveries: Set<Promise<void>>;
  warned: boolean;
}

/** @throws Error when the folder belongs to another user, or its mode has one of the bits `forbidden` */
const requireOwnFolder = async (folder: string, forbidden: number): Promise<void> => {
  const { mode, uid } = await lstat(folder);
  if (uid !== process.getuid?.() || (mode & forbidden) !== 0)
    throw new Error(`other users may use the folder ${folder}`);
};

/** Creates the folder for this user alone and deletes what a previous daemon left in it. @throws Error */
const prepare = async (folder: string): Promise<void> => {
  const parent = path.dirname(folder);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await requireOwnFolder(parent, 0o022);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  await requireOwnFolder(folder, 0o077);
};

export const createResultSockets = (inputs: ResultSocketsInputs): ResultSockets => {
  const { deliver, logger } = inputs;
  const sockets = new Map<string, Socket>();
  /** Callbacks, by execution id, that wait for the receiver's answers `o`, `e` and `f`. */
  const waiting = new Map<string, ((frame: Frame | undefined) => void)[]>();
  const folder = inputs.folders.find((each) => Buffer.byteLength(each) + 1 + NAME_LENGTH <= PATH_LIMIT);
  let receiver: Promise<Receiver> | undefined;
  let failedAt = Number.POSITIVE_INFINITY;
  let alive: Receiver | undefined;
  let pendingBytes = 0;
  let prepared = false;
  let losses = 0;
  let failure: string | undefined;
  let closed = false;

  const receive = (executionId: string, bytes: Buffer): void => {
    const socket = sockets.get(executionId);
    if (socket === undefined) return;
    pendingBytes += bytes.length;
    if (pendingBytes > PENDING_LIMIT) alive?.pause();
    const delivery = deliver(executionId, bytes)
      .catch((error: unknown) => {
        // Logged once per execution, because an actor can send any number of results.
        if (!socket.warned)
          logger.warn({ executionId, why: engineMessage(error) }, 'cannot store a result; it is dropped');
        socket.warned = true;
      })
      .then(() => {
        pendingBytes -= bytes.length;
        if (pendingBytes <= PENDING_LIMIT) alive?.resume();
        socket.deliveries.delete(delivery);
      });
    socket.deliveries.add(delivery);
  };

  const onFrame = (frame: Frame): void => {
    if (frame.kind === 'd') receive(frame.id, frame.bytes);
    else waiting.get(frame.id)?.shift()?.(frame);
  };

  /** Handles the end of the receiver: pending requests fail, and the sockets are created again. */
  const onReceiverEnd = (): void => {
    alive = undefined;
    receiver = undefined;
    for (const resolvers of waiting.values()) for (const resolve of resolvers.splice(0)) resolve(undefined);
    losses += 1;
    if (closed) return;
    logger.warn({ losses }, 'the receiver of results has ended; running containers can send results over HTTP only');
    for (const [executionId, socket] of sockets) socket.opened = openSocket(executionId, socket);
  };

  const launchReceiver = async (): Promise<Receiver> => {
    if (losses >= LOSS_LIMIT) throw new Error('the receiver of unix datagrams has ended too many times');
    if (folder === undefined) throw new Error(`the paths of sockets would be too long (${inputs.folders.join(', ')})`);
    if (!prepared) {
      await prepare(folder);
      prepared = true;
    }
    const begun = await startReceiver(onFrame, inputs.programs);
    alive = begun;
    void begun.ended.then(onReceiverEnd);
    return begun;
  };

  const getReceiver = (): Promise<Receiver> => {
    if (performance.now() - failedAt >= RETRY_MS) {
      receiver = undefined;
      failedAt = Number.POSITIVE_INFINITY;
    }
    receiver ??= launchReceiver().catch((error: unknown) => {
      failedAt = performance.now();
      throw error;
    });
    return receiver;
  };

  /**
   * Sends a request and returns the answer; undefined if none comes. Requests about one execution are answered in
   * order.
   */
  const request = (to: Receiver, verb: string, executionId: string, rest = ''): Promise<Frame | undefined> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
      const mine = waiting.get(executionId) ?? [];
      mine.push((frame) => {
        clearTimeout(timer);
        resolve(frame);
      });
      waiting.set(executionId, mine);
      to.request(`${verb} ${executionId}${rest}`);
    });

  const openSocket = async (executionId: string, place: Pick<Socket, 'path' | 'mode'>): Promise<boolean> => {
    try {
      const answer = await request(await getReceiver(), 'open', executionId, ` ${place.path}`);
      if (answer?.kind === 'o') {
        if (place.mode !== OWN_MODE) await chmod(place.path, place.mode);
        failure = undefined;
        return true;
      }
      throw new Error(answer === undefined ? 'the receiver does not answer' : answer.bytes.toString());
    } catch (error) {
      const why = engineMessage(error);
      if (why !== failure) logger.warn({ executionId, why }, 'cannot create result sockets for executions');
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
    alive?.request(`close ${executionId}`);
  };

  return {
    async open(executionId, { openToAll } = { openToAll: false }) {
      if (closed || folder === undefined || !/^[A-Za-z0-9]{13}$/.test(executionId)) return undefined;
      let socket = sockets.get(executionId);
      if (socket === undefined) {
        const socketPath = path.join(folder, executionId);
        const place = { path: socketPath, mode: openToAll ? 0o777 : OWN_MODE };
        socket = { runs: 0, opened: openSocket(executionId, place), deliveries: new Set(), warned: false, ...place };
        sockets.set(executionId, socket);
      }
      socket.runs += 1;
      if (await socket.opened) return socket.path;
      release(executionId);
      return undefined;
    },

    async drain(executionId) {
      const socket = sockets.get(executionId);
      if (socket === undefined) return;
      if (alive !== undefined) await request(alive, 'flush', executionId);
      await Promise.all(socket.deliveries);
    },

    release,

    async problem() {
      try {
        await getReceiver();
        return undefined;
      } catch (error) {
        return engineMessage(error);
      }
    },

    async close({ removeAll }) {
      closed = true;
      alive?.close();
      if (!removeAll || folder === undefined) return;
      try {
        await requireOwnFolder(path.dirname(folder), 0o022);
        await rm(folder, { recursive: true, force: true });
      } catch {
        // There is no such folder, or another user may change it.
      }
    },
  };
};
