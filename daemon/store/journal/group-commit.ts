// Group commit: everything that waits goes to the disk in one write and one sync; what the disk refuses is refused to all.
import type { Failure } from '../../domain/failure.ts';
import type { Logger } from '../../ports/logger.ts';
import { errnoOf, unavailable } from '../store-errors.ts';
import type { Journal } from './journal.ts';

/** A decision that waits for the disk. */
export interface Waiting {
  /** Its journal line; empty when it only waits for those before it. */
  readonly line: string;
  readonly durable: () => void;
  readonly refused: (failure: Failure) => void;
}

export interface Committer {
  /** Why nothing can be written at present. */
  refusal(): Failure | undefined;
  submit(waiting: Waiting): void;
  /** For a decision that changed nothing: `answer` is called once those before it are durable, at once when all are. */
  afterThose(answer: () => void, refused: Waiting['refused']): void;
  /** Runs `work` between two writes, alone. @throws Failure STORE_UNAVAILABLE while the disk refuses */
  between<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing waits any more, and stops trying to recover. */
  close(): Promise<void>;
}

export interface CommitterOptions {
  /** The journal to write to; may change in `between`. */
  readonly journal: () => Journal;
  /** Everything that waits is being refused; called before anybody is told, and before new decisions are made. */
  readonly onRefused: () => void;
  /** Called after every write. */
  readonly onDurable: () => void;
  readonly logger: Logger;
  /** ms between two attempts to recover. */
  readonly retryMs: number;
}

/** Characters that are written at once at most (but always one decision). */
const MAX_BATCH = 4 * 1024 * 1024;
/** Bytes that the disk must take before it counts as writable again. */
const PROBE = 64 * 1024;

/** Lets everything that is ready run first: those who were just answered come with their next decision. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const createCommitter = (options: CommitterOptions): Committer => {
  const { journal, onRefused, onDurable, logger, retryMs } = options;
  let queue: Waiting[] = [];
  const chores: (() => Promise<void>)[] = [];
  let running: Promise<void> | undefined;
  let refusal: Failure | undefined;
  /** False while the journal may still hold what was refused. */
  let clean = true;
  let timer: NodeJS.Timeout | undefined;
  let retrying: Promise<void> = Promise.resolve();
  let closed = false;

  const take = (): { batch: Waiting[]; text: string } => {
    let text = '';
    let count = 0;
    for (const { line } of queue) {
      if (count > 0 && text.length + line.length > MAX_BATCH) break;
      text += line;
      count += 1;
    }
    const batch = queue;
    queue = batch.splice(count);
    return { batch, text };
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
      if (!clean) await journal().repair();
      clean = false;
      await journal().probe(PROBE);
      clean = true;
      refusal = undefined;
      logger.info({}, 'the store can be written again');
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
    logger.error({ err: error, refused: all.length }, 'the store cannot be written');
    try {
      await journal().repair();
      clean = true;
    } catch (again) {
      logger.error({ err: again }, 'what was refused could not be cut off the journal yet');
    }
    for (const waiting of all) waiting.refused(failure);
    retryLater();
  };

  const run = async (): Promise<void> => {
    for (;;) {
      await nextTurn();
      const chore = chores.shift();
      if (chore !== undefined) {
        await chore();
        continue;
      }
      if (queue.length === 0) break;
      const { batch, text } = take();
      try {
        if (text !== '') await journal().append(text);
      } catch (error) {
        await refuse(error, batch);
        continue;
      }
      for (const waiting of batch) waiting.durable();
      onDurable();
    }
    // Set here and not by a callback of the promise: a decision that comes in between would find nobody to write it.
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
      else queue.push({ line: '', durable: answer, refused });
    },
    between: (work) =>
      new Promise((resolve, reject) => {
        chores.push(async () => {
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
      if (!clean) await journal().repair();
    },
  };
};
