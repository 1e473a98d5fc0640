// The store: every change is in a journal on disk before its caller is notified. Old records are read from disk.
import { Failure } from '../domain/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store, Transaction } from '../ports/store.ts';
import { type CapturedRecords, captureRecords } from './archive/captured-records.ts';
import { createCheckpoints } from './journal/checkpoint.ts';
import { createCommitter } from './journal/group-commit.ts';
import { draftLine, type LineDraft } from './journal/journal-line.ts';
import { createLayers, viewOf } from './layers.ts';
import { loadStore } from './load-store.ts';
import type { Lock } from './lock.ts';
import { SCHEMA_VERSION } from './migrations.ts';
import { collectionNames, rules } from './record-table.ts';
import { diskProblemOf } from './store-errors.ts';
import { createSubscriptions } from './subscriptions.ts';
import { placeIn } from './table/record-files.ts';

export interface StoreOptions {
  /** The data folder of the instance; the store files are in its subfolder `db`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The lock, released as the last step of `close`. If the store cannot be opened, the caller must release it. */
  readonly lock?: Lock;
  /** Bytes of journal below which no checkpoint starts; default 16 MiB. */
  readonly checkpointFloor?: number;
  /** Bytes of text of the latest records of a growing collection that stay in memory; default 512 KiB. */
  readonly latestBytes?: number;
  /** Time (ms) between two attempts to write after the disk refused; default 1000. */
  readonly retryMs?: number;
}

export interface StoredData extends Store {
  capture(): CapturedRecords;
}

interface Step {
  /** @param start offset of the transaction in the journal */
  readonly settle: (start: number) => void;
  readonly undo: () => void;
}

interface Draft {
  readonly number: number;
  readonly steps: Step[];
  readonly tell: (() => void)[];
  readonly line: LineDraft;
  sequence: number;
}

/**
 * Opens the store of a data folder, or creates it. The caller must hold the lock of the folder.
 * @throws FolderRefused, StoreDamaged, StoreTooNew, StoreUnwritable
 * @see docs/architecture.md#persistence
 */
export const openStore = async (options: StoreOptions): Promise<StoredData> => {
  const { clock, logger, lock } = options;
  const loaded = await loadStore(options);
  const { dirty } = loaded;
  const layers = createLayers(loaded);
  const subscriptions = createSubscriptions(logger);

  const durable = { decision: loaded.decision, sequence: loaded.sequence, time: loaded.time };
  /** The latest transaction and sequence numbers, including those of transactions that are not durable yet. */
  const latest = { decision: durable.decision, sequence: durable.sequence };

  const beforeWrite = (): void => lock?.confirm();
  const committer = createCommitter({
    journal: () => checkpoints.journal(),
    beforeWrite,
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
    beforeWrite,
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

  const transaction: Transaction = {
    ...viewOf((collection) => {
      drafting();
      return layers[collection].latest;
    }),
    put(collection, record) {
      const { steps, tell, line } = drafting();
      const layer = layers[collection];
      const telling = subscriptions.notificationOf(collection, record);
      const text = JSON.stringify(record);
      const change = layer.change(rules[collection].key(record), record);
      if (telling !== undefined) tell.push(telling);
      const span = line.put(collection, text);
      steps.push({
        settle(start) {
          layer.settle(change, placeIn(checkpoints.journalFile(), span, start));
          dirty.add(collection);
        },
        undo: () => layer.undo(change),
      });
    },
    delete(collection, key) {
      const { steps, line } = drafting();
      const layer = layers[collection];
      if (!layer.has(key)) return;
      const change = layer.change(key, undefined);
      line.delete(collection, key);
      steps.push({
        settle() {
          layer.settle(change);
          dirty.add(collection);
        },
        undo: () => layer.undo(change),
      });
    },
    nextSequence() {
      const current = drafting();
      current.sequence += 1;
      current.line.sequence(current.sequence);
      return current.sequence;
    },
  };

  const takeBack = ({ steps }: Draft): void => {
    for (const { undo } of steps.reverse()) undo();
  };

  /** Runs `decide`; an error undoes all its changes. */
  const decideOn = <T>(decide: (tx: Transaction) => T, time: number): { readonly made: Draft; readonly value: T } => {
    if (draft !== undefined) throw new Error('A transaction cannot start another transaction.');
    const made: Draft = {
      number: latest.decision + 1,
      steps: [],
      tell: [],
      line: draftLine(latest.decision + 1, time),
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
        decided = decideOn(decide, time);
      } catch (error) {
        // Rejects only once earlier transactions are durable, because the error may depend on their changes.
        return committer.afterThose(() => reject(error), reject);
      }
      const { made, value } = decided;
      const { number, steps, tell, line, sequence } = made;
      if (line.isEmpty()) return committer.afterThose(() => resolve(value), reject);
      const refusal = committer.refusal();
      if (refusal !== undefined) {
        takeBack(made);
        throw refusal;
      }
      latest.decision = number;
      latest.sequence = sequence;
      const finished = line.finish();
      committer.submit({
        line: finished.line,
        bytes: finished.bytes,
        durable(start) {
          for (const { settle } of steps) settle(start);
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
      loaded.files.closeAll();
    } finally {
      await lock?.release();
    }
  };

  return {
    ...viewOf((collection) => layers[collection].durable),
    transact,
    watch: subscriptions.watch,
    version: () => durable.decision,
    status() {
      const refusal = committer.refusal();
      return {
        writable: refusal === undefined,
        ...(refusal === undefined ? {} : { reason: diskProblemOf(refusal) }),
        schemaVersion: SCHEMA_VERSION,
      };
    },
    lastTime: loaded.time,
    capture: () => captureRecords(loaded, durable),
    close() {
      closing ??= close();
      return closing;
    },
  };
};
