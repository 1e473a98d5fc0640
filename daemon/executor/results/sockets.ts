// The result sockets of runs: created before a run is created, read while it runs, drained after its end, removed with
// the run.

import { rmSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeFolders } from '../../../src/local/folders/make-folders.ts';
import { requireOwnFolder } from '../../../src/local/own-place.ts';
import type { Logger } from '../../ports/logger.ts';
import { engineMessage } from '../engine/engine-error.ts';
import type { ReceiverProgram } from './programs.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Creates the folder for this user alone and deletes what a previous daemon left in it. @throws Error */
const prepareSocketFolder = async (folder: string): Promise<void> => {
  const parent = path.dirname(folder);
  await makeFolders(parent);
  requireOwnFolder(parent);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
};

/** Deletes a socket. If that fails, the socket stays until the next start, which empties the folder. */
const removeSocket = (file: string): void => {
  try {
    rmSync(file, { force: true });
  } catch {
    // The folder is no longer as it was prepared.
  }
};

const removeSocketFolder = async (folder: string): Promise<void> => {
  try {
    requireOwnFolder(path.dirname(folder));
    await rm(folder, { recursive: true, force: true });
  } catch {
    // There is no such folder, or another user may change it.
  }
};

export type ResultSockets = ReturnType<typeof createResultSockets>;

export interface ResultSocketsInputs {
  /** Folder for the sockets: an absolute path of any length, outside the data folder. It is emptied and removed. */
  readonly folder: string;
  /** Stores a result. Its errors are logged. */
  readonly deliver: (executionId: string, bytes: Uint8Array) => Promise<unknown>;
  readonly logger: Logger;
  /** For tests: the receiver programs to try. */
  readonly programs?: readonly ReceiverProgram[];
}

const OWN_MODE = 0o600;
/** A receiver that has ended this many times is not started again. */
const LOSS_LIMIT = 5;
/**
 * Time (ms) after which a receiver that could not be started is tried again. A start can fail, for example, because the
 * process limit was reached.
 */
const RETRY_MS = 60_000;
/** Maximum bytes received but not stored yet. Above this limit, senders have to wait. */
const PENDING_LIMIT = 4 * 1024 * 1024;

/** Starts the receiver when it is first needed, and again after it has ended, a limited number of times. */
const keepReceiver = ({
  inputs: { folder, programs, logger },
  onDatagram,
  onLoss,
}: {
  readonly inputs: ResultSocketsInputs;
  readonly onDatagram: (executionId: string, bytes: Buffer) => void;
  readonly onLoss: () => void;
}) => {
  let starting: Promise<Receiver> | undefined;
  let running: Receiver | undefined;
  let failedAt = Number.POSITIVE_INFINITY;
  let prepared = false;
  let losses = 0;
  let closed = false;

  const onEnd = (): void => {
    running = undefined;
    starting = undefined;
    losses += 1;
    if (closed) return;
    logger.warn({ losses }, 'the receiver of results has ended; running containers can send results over HTTP only');
    onLoss();
  };

  const start = async (): Promise<Receiver> => {
    if (losses >= LOSS_LIMIT) throw new Error('the receiver of unix datagrams has ended too many times');
    if (!prepared) {
      await prepareSocketFolder(folder);
      prepared = true;
    }
    running = await startReceiver(folder, ({ id, bytes }) => onDatagram(id, bytes), programs);
    void running.ended.then(onEnd);
    return running;
  };

  return {
    /**
     * Returns the receiver.
     * @throws Error if it cannot be started, or could not be a short time ago
     */
    get(): Promise<Receiver> {
      if (performance.now() - failedAt >= RETRY_MS) {
        starting = undefined;
        failedAt = Number.POSITIVE_INFINITY;
      }
      starting ??= start().catch((error: unknown) => {
        failedAt = performance.now();
        throw error;
      });
      return starting;
    },
    running: () => running,
    close(): void {
      closed = true;
      running?.close();
    },
    closed: () => closed,
  };
};

interface Socket {
  readonly path: string;
  readonly mode: number;
  runs: number;
  opened: Promise<boolean>;
  readonly deliveries: Set<Promise<void>>;
  warned: boolean;
}

export const createResultSockets = (inputs: ResultSocketsInputs) => {
  const { deliver, folder, logger } = inputs;
  const sockets = new Map<string, Socket>();
  let pendingBytes = 0;
  let failure: string | undefined;

  const receive = (executionId: string, bytes: Buffer): void => {
    const socket = sockets.get(executionId);
    if (socket === undefined) return;
    pendingBytes += bytes.length;
    if (pendingBytes > PENDING_LIMIT) receiver.running()?.pause();
    const delivery = deliver(executionId, bytes)
      .catch((error: unknown) => {
        // Logged once per execution, because an actor can send any number of results.
        if (!socket.warned)
          logger.warn({ executionId, why: engineMessage(error) }, 'cannot store a result; it is dropped');
        socket.warned = true;
      })
      .then(() => {
        pendingBytes -= bytes.length;
        if (pendingBytes <= PENDING_LIMIT) receiver.running()?.resume();
        socket.deliveries.delete(delivery);
      });
    socket.deliveries.add(delivery);
  };

  const receiver = keepReceiver({
    inputs,
    onDatagram: receive,
    onLoss: () => {
      for (const [executionId, socket] of sockets) socket.opened = openSocket(executionId, socket);
    },
  });

  const openSocket = async (executionId: string, place: Pick<Socket, 'path' | 'mode'>): Promise<boolean> => {
    try {
      const answer = await (await receiver.get()).ask(`open ${executionId} ${path.basename(place.path)}`);
      if (answer?.kind === 'o') {
        if (place.mode !== OWN_MODE) await chmod(place.path, place.mode);
        failure = undefined;
        return true;
      }
      throw new Error(answer === undefined ? 'the receiver does not answer' : answer.bytes.toString());
    } catch (error) {
      const why = engineMessage(error);
      if (why !== failure) logger.warn({ why }, 'cannot create result sockets for executions');
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
    // The socket is deleted at once, because the next socket of the same execution may get this path in the same turn.
    removeSocket(socket.path);
    receiver.running()?.tell(`close ${executionId}`);
  };

  return {
    /**
     * Creates the socket of an execution and returns its path. Further runs of the same execution share the socket.
     * Returns undefined if no socket is possible; `problem` says why. With `openToAll`, any user may send to the
     * socket, which users inside a container need; the folder itself stays closed to other users of this machine.
     */
    async open(
      executionId: string,
      { openToAll }: { readonly openToAll: boolean } = { openToAll: false },
    ): Promise<string | undefined> {
      if (receiver.closed() || !/^[A-Za-z0-9]{13}$/.test(executionId)) return undefined;
      let socket = sockets.get(executionId);
      if (socket === undefined) {
        const place = { path: path.join(folder, executionId), mode: openToAll ? 0o777 : OWN_MODE };
        socket = { runs: 0, opened: openSocket(executionId, place), deliveries: new Set(), warned: false, ...place };
        sockets.set(executionId, socket);
      }
      socket.runs += 1;
      if (await socket.opened) return socket.path;
      release(executionId);
      return undefined;
    },

    /** Resolves when every result sent so far is delivered. Never rejects. */
    async drain(executionId: string): Promise<void> {
      const socket = sockets.get(executionId);
      if (socket === undefined) return;
      await receiver.running()?.ask(`flush ${executionId}`);
      await Promise.all(socket.deliveries);
    },

    /** Must be called when a run of the execution is removed. The last call removes the socket. */
    release,

    /** Why runs have no socket. Undefined if they have one. */
    async problem(): Promise<string | undefined> {
      try {
        await receiver.get();
        return undefined;
      } catch (error) {
        return engineMessage(error);
      }
    },

    /** Ends the receiver. Sockets that are still open stop working. With `removeAll`, the socket folder is removed. */
    async close({ removeAll }: { readonly removeAll: boolean }): Promise<void> {
      receiver.close();
      if (removeAll) await removeSocketFolder(folder);
    },
  };
};
