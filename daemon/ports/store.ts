// The port of the store: synchronous reads of durable data, and one way to change it.
import type { CollectionName, Collections, IndexName } from '../domain/records/collections.ts';

/** Reads answer at once, from memory, and never wait for the disk. */
export interface ReadView {
  get<N extends CollectionName>(collection: N, key: string): Collections[N] | undefined;
  /** Every record, oldest put first. */
  all<N extends CollectionName>(collection: N): Iterable<Collections[N]>;
  /** The records whose index has this value, oldest put first. */
  by<N extends CollectionName>(collection: N, index: IndexName<N>, value: string): readonly Collections[N][];
  count<N extends CollectionName>(collection: N): number;
  countBy<N extends CollectionName>(collection: N, index: IndexName<N>, value: string): number;
}

/** What a decision sees (its own and all earlier decisions, durable or not yet) and may do. */
export interface Transaction extends ReadView {
  put<N extends CollectionName>(collection: N, record: Collections[N]): void;
  delete<N extends CollectionName>(collection: N, key: string): void;
  /** The next number of an increasing sequence of this instance; starts at 1, never given twice to durable decisions. */
  nextSequence(): number;
}

/**
 * Calls `listener` with every record that is put into a collection from now on, once its decision is durable and can be read as a whole, in
 * the order of the decisions. It must not block. Returns the unsubscribe.
 */
export type Watch = <N extends CollectionName>(collection: N, listener: (record: Collections[N]) => void) => () => void;

export interface StoreStatus {
  /** False while the disk refuses writes: transactions then answer STORE_UNAVAILABLE and change nothing. */
  readonly writable: boolean;
  readonly reason?: string;
  readonly schemaVersion: number;
}

/**
 * Reads through the store itself see durable data only.
 */
export interface Store extends ReadView {
  /**
   * Runs `decide` at once, synchronously, and resolves with what it returned as soon as its changes are durable (synced).
   * If `decide` throws, nothing changes and the promise rejects with that error. A decision that changes nothing
   * resolves or rejects without touching the disk, but not before the decisions it could see are durable.
   * @throws Failure STORE_UNAVAILABLE when the disk refuses; nothing was changed then
   */
  transact<T>(decide: (tx: Transaction) => T): Promise<T>;
  readonly watch: Watch;
  status(): StoreStatus;
  /** Latest time (ms) found in the data at start: a floor for the clock. */
  readonly lastTime: number;
  /** Waits for what is under way, writes a checkpoint, lets go of the folder. */
  close(): Promise<void>;
}
