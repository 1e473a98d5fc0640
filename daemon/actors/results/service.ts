// The result queues of executions. A queue is bounded and is deleted after some time without use.
import { RESULT_LIMIT } from '../../../src/contract/actors/results.ts';
import { Failure } from '../../domain/failure.ts';
import type { ExecutionRecord } from '../../domain/records/actor-records.ts';
import { type ResultRecord, resultKey } from '../../domain/records/result-records.ts';
import type { Bodies } from '../../ports/bodies.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Results } from '../../ports/results.ts';
import type { Store, Transaction } from '../../ports/store.ts';
import { deleteResults } from '../cascade-delete.ts';
import { dropBodies } from '../purge-mailbox.ts';

/** Maximum number of waiting results of one execution. */
const COUNT_LIMIT = 1_000;
/** Maximum total bytes of these results. */
const BYTES_LIMIT = 16 * 1024 * 1024;
/** Time (ms) after the last put or take until the results of an execution expire. @see docs/http-api.md#executions */
const LIFE_MS = 20 * 60 * 1000;
/** Results up to this size (bytes) are stored in their record. Records are held in memory. */
const INLINE_LIMIT = 4 * 1024;

export interface ResultQueues extends Results {
  /** Removes the oldest result durably and returns its bytes, or undefined if no result waits. */
  take(executionId: string): Promise<Buffer | undefined>;
  /** Resolves when a result may be available. Rejects when the signal fires. */
  waitForResult(executionId: string, signal: AbortSignal): Promise<void>;
  sweep(): Promise<void>;
}

/** Deletes the results of executions. Returns the body files to delete once the transaction is durable. */
const clearResults = (tx: Transaction, executionId: string): readonly string[] =>
  deleteResults(tx, tx.by('results', 'execution', executionId));

const demandRunning = (tx: Pick<Transaction, 'get'>, executionId: string) => {
  const execution = tx.get('executions', executionId);
  if (execution?.status === 'RUNNING') return execution;
  throw new Failure('NOT_FOUND', 'This execution is not running. Only a running execution can add results.');
};

const demandSize = ({ length }: Uint8Array): void => {
  if (length === 0)
    throw new Failure(
      'VALIDATION',
      'A result must not be empty, because an empty response means that there is no result. Send at least one byte.',
    );
  if (length <= RESULT_LIMIT) return;
  throw new Failure(
    'PAYLOAD_TOO_LARGE',
    `A result may have at most ${RESULT_LIMIT} bytes, but this one has ${length}. Send it in parts.`,
    {
      limit: RESULT_LIMIT,
    },
  );
};

/** Returns the number of waiting results. */
const demandRoom = (tx: Pick<Transaction, 'by'>, executionId: string, { length }: Uint8Array): number => {
  const waiting = tx.by('results', 'execution', executionId);
  const bytes = waiting.reduce((sum, { size }) => sum + size, length);
  if (waiting.length < COUNT_LIMIT && bytes <= BYTES_LIMIT) return waiting.length;
  throw new Failure(
    'THROTTLED',
    `${waiting.length} results are waiting. The limit is ${COUNT_LIMIT} results and ${BYTES_LIMIT} bytes in total. Read some of them, then send the new result again.`,
    { waiting: waiting.length, limit: COUNT_LIMIT, retryAfter: 1 },
  );
};

export const createResults = (deps: {
  readonly store: Store;
  readonly bodies: Bodies;
  readonly clock: Clock;
  readonly logger: Logger;
}): ResultQueues => {
  const { store, bodies, clock } = deps;
  /** Last use of each queue. A restart loses these times, so expiry then starts again. */
  const lastUse = new Map<string, number>();
  const startedAt = clock.now();
  /** Pending puts by execution; puts of one execution run one after another. */
  const puts = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, Set<() => void>>();

  const hasExpired = (executionId: string): boolean => clock.now() - (lastUse.get(executionId) ?? startedAt) >= LIFE_MS;

  store.watch('results', ({ executionId }) => {
    for (const resolve of waiting.get(executionId) ?? []) resolve();
  });

  const storeBytes = async (bytes: Uint8Array): Promise<Pick<ResultRecord, 'base64' | 'bodyFile' | 'size'>> =>
    bytes.length <= INLINE_LIMIT
      ? { size: bytes.length, base64: Buffer.from(bytes).toString('base64'), bodyFile: null }
      : { size: bytes.length, base64: '', bodyFile: await bodies.put(bytes) };

  /** The checks come before a file is written, so that refused results leave no files. */
  const place = (executionId: string, bytes: Uint8Array): ReturnType<typeof storeBytes> => {
    demandSize(bytes);
    demandRunning(store, executionId);
    if (!hasExpired(executionId)) demandRoom(store, executionId, bytes);
    return storeBytes(bytes);
  };

  const putRecord = (
    tx: Transaction,
    { id: executionId, actorId }: Pick<ExecutionRecord, 'id' | 'actorId'>,
    placed: Pick<ResultRecord, 'base64' | 'bodyFile' | 'size'>,
  ): void => {
    tx.put('results', { executionId, actorId, sequence: tx.nextSequence(), ...placed, at: clock.now() });
    // Set here, because otherwise the first result of an execution would count as expired in a daemon that has run
    // longer than the expiry time.
    lastUse.set(executionId, clock.now());
  };

  const add = async (executionId: string, bytes: Uint8Array): Promise<number> => {
    const placed = await place(executionId, bytes);
    try {
      const { count, bodyFiles } = await store.transact((tx) => {
        const execution = demandRunning(tx, executionId);
        const dead = hasExpired(executionId) ? clearResults(tx, executionId) : [];
        const before = demandRoom(tx, executionId, bytes);
        putRecord(tx, execution, placed);
        return { count: before + 1, bodyFiles: dead };
      });
      await dropBodies(deps, bodyFiles);
      return count;
    } catch (error) {
      if (placed.bodyFile !== null) await dropBodies(deps, [placed.bodyFile]);
      throw error;
    }
  };

  return {
    put(executionId, bytes) {
      const before = puts.get(executionId) ?? Promise.resolve();
      const mine = before.then(() => add(executionId, bytes));
      const settled = Promise.allSettled([mine]).then(() => {
        if (puts.get(executionId) === settled) puts.delete(executionId);
      });
      puts.set(executionId, settled);
      return mine;
    },

    async stage(executionId, bytes) {
      const placed = await place(executionId, bytes);
      return {
        add(tx) {
          const execution = tx.get('executions', executionId);
          if (execution !== undefined) putRecord(tx, execution, placed);
        },
        async discard() {
          if (placed.bodyFile !== null) await dropBodies(deps, [placed.bodyFile]);
        },
      };
    },

    async take(executionId) {
      const taken = await store.transact((tx) => {
        const [first] = tx.by('results', 'execution', executionId);
        if (first === undefined || hasExpired(executionId)) return undefined;
        tx.delete('results', resultKey(first));
        return first;
      });
      if (taken === undefined) return undefined;
      lastUse.set(executionId, clock.now());
      if (taken.bodyFile === null) return Buffer.from(taken.base64, 'base64');
      const bytes = await bodies.read(taken.bodyFile);
      await dropBodies(deps, [taken.bodyFile]);
      return bytes;
    },

    waitForResult: (executionId, signal) =>
      new Promise((resolve, reject) => {
        const mine = waiting.get(executionId) ?? new Set();
        const leave = () => {
          mine.delete(done);
          if (mine.size === 0 && waiting.get(executionId) === mine) waiting.delete(executionId);
          signal.removeEventListener('abort', aborted);
        };
        const done = () => {
          leave();
          resolve();
        };
        const aborted = () => {
          leave();
          reject(signal.reason);
        };
        if (signal.aborted) return aborted();
        signal.addEventListener('abort', aborted, { once: true });
        waiting.set(executionId, mine.add(done));
        if (store.countBy('results', 'execution', executionId) > 0 && !hasExpired(executionId)) done();
      }),

    async sweep() {
      const having = new Set<string>();
      for (const { executionId } of store.all('results')) having.add(executionId);
      for (const executionId of lastUse.keys())
        if (!having.has(executionId) && hasExpired(executionId)) lastUse.delete(executionId);
      const isDead = (executionId: string) =>
        hasExpired(executionId) || store.get('executions', executionId) === undefined;
      for (const executionId of having) {
        if (!isDead(executionId)) continue;
        await dropBodies(
          deps,
          await store.transact((tx) => (isDead(executionId) ? clearResults(tx, executionId) : [])),
        );
      }
    },
  };
};
