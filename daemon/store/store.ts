// The store: all records in memory; every change is in a journal on disk before its caller is answered.

import { Failure } from '../domain/failure.ts';
import type { CollectionName } from '../domain/records/collections.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store, Transaction } from '../ports/store.ts';
import { createCheckpoints } from './journal/checkpoint.ts';
import { createCommitter } from './journal/group-commit.ts';
import { journalLine } from './journal/journal.ts';
import { createLayers, durableView } from './layers.ts';
import { loadStore } from './load-store.ts';
import type { Lock } from './lock.ts';
import { SCHEMA_VERSION } from './migrations.ts';
import { collectionNames, rules } from './record-table.ts';
import { createSubscriptions } from './subscriptions.ts';

export interface StoreOptions {
  /** The data folder of the instance; the store files are in its subfolder `db`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Released as the last step of `close`. If the store cannot be opened, the caller must release it. */
  readonly lock?: Lock;
  /** Bytes of journal below which no checkpoint starts; default 16 MiB. */
  readonly checkpointFloor?: number;
  /** Time (ms) between two attempts to write after the disk refused; default 1000. */
  readonly retryMs?: number;
}

interface Change {
  readonly settle: () => void;
  readonly undo: () => void;
}

/** A transaction while its function runs. */
interface Draft {
  readonly number: number;
  readonly changes: Change[];
  /** Callbacks for the moment when the transaction is durable. */
  readonly tell: (() => void)[];
  /** JSON texts of its operations, separated by commas. */
  operations: string;
  sequence: number;
}

/**
 * Opens the store of a data folder, or creates it. The caller must hold the lock of the folder.
 * @throws FolderRefused, StoreDamaged, StoreTooNew, StoreUnwritable
 * @see docs/architecture.md 8
 */
export const openStore = async (options: StoreOptions): Promise<Store> => {
  const { clock, logger, lock } = options;
  const loaded = await loadStore(options);
  const { dirty, order } = loaded;
  const layers = createLayers(loaded);
  const subscriptions = createSubscriptions(logger);

  const durable = { decision: loaded.decision, sequence: loaded.sequence, time: loaded.time };
  /** The same numbers including transactions that are not durable yet. */
  const latest = { decision: durable.decision, sequence: durable.sequence };

  const committer = createCommitter({
    journal: () => checkpoints.journal(),
    onRefused() {
      for (const name of collectionNames) layers[name].drop();
      latest.decision = durable.decision;
      latest.sequence = durable.sequence;
    },
    onDurable: () => checkpoints.consider(),
    logger,
    retryMs: options.retryMs ?? 1000,
  });
  const checkpoints = createCheckpoints({
    loaded,
    committer,
    durable: () => ({ ...durable }),
    logger,
    floor: options.checkpointFloor ?? 16 * 1024 * 1024,
  });

  let draft: Draft | undefined;
  let closing: Promise<void> | undefined;

  const drafting = (): Draft => {
    if (draft === undefined) throw new Error('A transaction cannot be used after its function has returned.');
    return draft;
  };
  const write = (operation: string): void => {
    const current = drafting();
    current.operations += current.operations === '' ? operation : `,${operation}`;
  };
  const reader = <N extends CollectionName>(collection: N) => {
    drafting();
    return layers[collection].latest;
  };

  const transaction: Transaction = {
    get: (collection, key) => reader(collection).get(key),
    all: (collection, walk) => reader(collection).all(walk),
    by: (collection, index, value) => reader(collection).by(index, value),
    each: (collection, index, value, walk) => reader(collection).each(index, value, walk),
    page: (collection, index, value, page) => reader(collection).page(index, value, page),
    count: (collection) => reader(collection).count(),
    countBy: (collection, index, value) => reader(collection).countBy(index, value),
    sumBy: (collection, figure, value) => reader(collection).sumBy(figure, value),
    put(collection, record) {
      const { number, changes, tell } = drafting();
      const layer = layers[collection];
      const telling = subscriptions.notificationOf(collection, record);
      if (telling !== undefined) tell.push(telling);
      write(`["p","${collection}",${JSON.stringify(record)}]`);
      const key = rules[collection].key(record);
      const entry = { order: layer.entry(key)?.order ?? order.next++, record };
      const before = layer.change(key, entry, number);
      changes.push({
        settle() {
          layer.settle(key, entry, number);
          dirty.add(collection);
        },
        undo: () => layer.undo(before),
      });
    },
    delete(collection, key) {
      const { number, changes } = drafting();
      const layer = layers[collection];
      if (layer.entry(key) === undefined) return;
      write(`["d","${collection}",${JSON.stringify(key)}]`);
      const before = layer.change(key, undefined, number);
      changes.push({
        settle() {
          layer.settle(key, undefined, number);
          dirty.add(collection);
        },
        undo: () => layer.undo(before),
      });
    },
    nextSequence() {
      const current = drafting();
      current.sequence += 1;
      write(`["s",${current.sequence}]`);
      return current.sequence;
    },
  };

  const takeBack = ({ changes }: Draft): void => {
    for (const { undo } of changes.reverse()) undo();
  };

  /** Runs `decide`; an error undoes all its changes. */
  const decideOn = <T>(decide: (tx: Transaction) => T): { readonly made: Draft; readonly value: T } => {
    if (draft !== undefined) throw new Error('A transaction cannot start another transaction.');
    const made: Draft = {
      number: latest.decision + 1,
      changes: [],
      tell: [],
      operations: '',
      sequence: latest.sequence,
    };
    draft = made;
    try {
      const value = decide(transaction);
      if (value instanceof Promise) throw new Error('The function of a transaction must be synchronous.');
      return { made, value };
    } catch (error) {
      takeBack(made);
      throw error;
    } finally {
      draft = undefined;
    }
  };

  const transact = <T>(decide: (tx: Transaction) => T): Promise<T> =>
    new Promise((resolve, reject) => {
      if (closing !== undefined) throw new Failure('SHUTTING_DOWN', 'The daemon is stopping. Try again when it is up.');
      const time = clock.now();
      let decided: ReturnType<typeof decideOn<T>>;
      try {
        decided = decideOn(decide);
      } catch (error) {
        // Rejects only when earlier transactions are durable, because the error may depend on their changes.
        return committer.afterThose(() => reject(error), reject);
      }
      const { made, value } = decided;
      const { number, changes, tell, operations, sequence } = made;
      if (operations === '') return committer.afterThose(() => resolve(value), reject);
      const refusal = committer.refusal();
      if (refusal !== undefined) {
        takeBack(made);
        throw refusal;
      }
      latest.decision = number;
      latest.sequence = sequence;
      committer.submit({
        line: journalLine(number, time, operations),
        durable() {
          for (const { settle } of changes) settle();
          durable.decision = number;
          durable.sequence = sequence;
          durable.time = Math.max(durable.time, time);
          for (const told of tell) told();
          resolve(value);
        },
        refused: reject,
      });
    });

  const close = async (): Promise<void> => {
    try {
      await committer.close();
      await checkpoints.close();
      await checkpoints.journal().close();
    } finally {
      await lock?.release();
    }
  };

  return {
    ...durableView(layers),
    transact,
    watch: subscriptions.watch,
    status() {
      const refusal = committer.refusal();
      return {
        writable: refusal === undefined,
        ...(refusal === undefined ? {} : { reason: refusal.message }),
        schemaVersion: SCHEMA_VERSION,
      };
    },
    lastTime: loaded.time,
    close() {
      closing ??= close();
      return closing;
    },
  };
};
