// Group commit: all waiting transactions are written and synced together; when the disk refuses, all of them are
// rejected.
import type { Failure } from '../../domain/failure.ts';
import type { Logger } from '../../ports/logger.ts';
import { errnoOf, unavailable } from '../store-errors.ts';
import type { Journal } from './journal.ts';
import type { Line } from './journal-line.ts';

/** A transaction that waits until it is durable. Its line is empty when it only waits for the earlier transactions. */
export interface Waiting extends Line {
  /** Called with the offset of the line in the journal. */
  readonly durable: (offset: number) => void;
  readonly refused: (failure: Failure) => void;
}

export interface Committer {
  /** Why the store cannot be written now. Undefined if it can. */
  refusal(): Failure | undefined;
  submit(waiting: Waiting): void;
  /**
   * For a transaction without changes: calls `answer` when all earlier transactions are durable, or at once if none is
   * waiting.
   */
  afterThose(answer: () => void, refused: Waiting['refused']): void;
  /** Runs `work` exclusively, between two writes. @throws Failure STORE_UNAVAILABLE while the disk refuses writes */
  between<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when no transaction is waiting. Ends the attempts to recover. */
  close(): Promise<void>;
}

export interface CommitterOptions {
  /** The journal to write to; `between` may replace it. */
  readonly journal: () => Journal;
  /** Called before every write and truncation. Does not return if the journal now belongs to another process. */
  readonly beforeWrite: () => void;
  /** Called before the callers of rejected transactions are notified and before new transactions run. */
  readonly onRefused: () => void;
  readonly onDurable: () => void;
  readonly logger: Logger;
  readonly retryMs: number;
}

/** Maximum bytes per write. A single transaction may be larger. */
const MAX_BATCH = 4 * 1024 * 1024;
/** Bytes that the disk must accept before the store counts as writable again. */
const PROBE = 64 * 1024;

/**
 * Lets all ready callbacks run first, because callers that have just been notified submit their next transactions in
 * these callbacks.
 */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const createCommitter = (options: CommitterOptions): Committer => {
  const { journal, beforeWrite, onRefused, onDurable, logger, retryMs } = options;
  let queue: Waiting[] = [];
  const exclusive: (() => Promise<void>)[] = [];
  let running: Promise<void> | undefined;
  let refusal: Failure | undefined;
  /** False while the journal may still contain rejected transactions. */
  let clean = true;
  let timer: NodeJS.Timeout | undefined;
  let retrying: Promise<void> = Promise.resolve();
  let closed = false;

  const take = (): Waiting[] => {
    let length = 0;
    let count = 0;
    for (const { bytes } of queue) {
      if (count > 0 && length + bytes > MAX_BATCH) break;
      length += bytes;
      count += 1;
    }
    const batch = queue;
    queue = batch.splice(count);
    return batch;
  };

  const retryLater = (): void => {
    if (closed) return;
    timer = setTimeout(() => {
      retrying = retry();
    }, retryMs);
    timer.unref();
  };

  const retry = async (): Promise<void> => {
    try {
      beforeWrite();
      if (!clean) await journal().repair();
      clean = false;
      await journal().probe(PROBE);
      clean = true;
      refusal = undefined;
      logger.info({}, 'the store is writable again');
    } catch (error) {
      logger.debug({ errno: errnoOf(error) }, 'the store still cannot be written');
      retryLater();
    }
  };

  const refuse = async (error: unknown, batch: readonly Waiting[]): Promise<void> => {
    const failure = unavailable(error);
    refusal = failure;
    clean = false;
    const all = [...batch, ...queue];
    queue = [];
    onRefused();
    logger.error({ err: error, refused: all.length }, 'cannot write to the store');
    try {
      beforeWrite();
      await journal().repair();
      clean = true;
    } catch (again) {
      logger.error({ err: again }, 'cannot remove rejected transactions from the journal yet');
    }
    for (const waiting of all) waiting.refused(failure);
    retryLater();
  };

  const run = async (): Promise<void> => {
    for (;;) {
      await nextTurn();
      const chore = exclusive.shift();
      if (chore !== undefined) {
        await chore();
        continue;
      }
      if (queue.length === 0) break;
      const batch = take();
      const lines = batch.filter(({ bytes }) => bytes > 0);
      let offset = journal().size();
      try {
        if (lines.length > 0) {
          beforeWrite();
          await journal().append(lines);
        }
      } catch (error) {
        await refuse(error, batch);
        continue;
      }
      for (const waiting of batch) {
        waiting.durable(offset);
        offset += waiting.bytes;
      }
      onDurable();
    }
    // Reset here and not in a promise callback, because a transaction submitted in between would never be written.
    running = undefined;
  };

  const start = (): void => {
    running ??= run();
  };

  return {
    refusal: () => refusal,
    submit(waiting) {
      queue.push(waiting);
      start();
    },
    afterThose(answer, refused) {
      if (running === undefined) answer();
      else queue.push({ line: '', bytes: 0, durable: answer, refused });
    },
    between: (work) =>
      new Promise((resolve, reject) => {
        exclusive.push(async () => {
          try {
            if (refusal !== undefined) throw refusal;
            resolve(await work());
          } catch (error) {
            reject(error);
          }
        });
        start();
      }),
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
      await retrying;
      if (clean) return;
      beforeWrite();
      await journal().repair();
    },
  };
};
