// Port of the store: synchronous reads of durable records, and transactions to change them.
import type { CollectionName, Collections, FigureName, IndexName } from '../domain/records/collections.ts';

export interface Walk {
  /** Newest first if true. By default, records are in the order in which their keys were first put. */
  readonly newestFirst?: boolean;
  /** Number of records to skip. 0 by default. */
  readonly skip?: number;
}

export interface Page extends Walk {
  readonly limit: number;
}

/** A value of an index, or several, whose records are then read as one sequence. */
export type IndexValue = string | readonly string[];

/**
 * Synchronous reads. The order of records is the order in which their keys were first put.
 * An iteration (`all`, `each`) reads each record when the iterator reaches it. Changes in between are allowed: a deleted
 * record is left out, and records put under new keys after the start are left out.
 */
export interface ReadView {
  get<N extends CollectionName>(collection: N, key: string): Collections[N] | undefined;
  all<N extends CollectionName>(collection: N, walk?: Walk): Iterable<Collections[N]>;
  /** The records with this index value, all read at once. */
  by<N extends CollectionName>(collection: N, index: IndexName<N>, value: string): readonly Collections[N][];
  /** The records with this index value. An iteration that ends early reads only the records before its end. */
  each<N extends CollectionName>(
    collection: N,
    index: IndexName<N>,
    value: IndexValue,
    walk?: Walk,
  ): Iterable<Collections[N]>;
  /** Part of the records with this index value. Reads only these records, wherever the page begins. */
  page<N extends CollectionName>(
    collection: N,
    index: IndexName<N>,
    value: IndexValue,
    page: Page,
  ): readonly Collections[N][];
  count<N extends CollectionName>(collection: N): number;
  /**
   * The number of records with this index value. Reads no record, except in an index of `unique` values, which reads
   * the record of the value.
   */
  countBy<N extends CollectionName>(collection: N, index: IndexName<N>, value: IndexValue): number;
  /** The sum of a figure over the records with one value of the index that the collection sums by. Reads no record. */
  sumBy<N extends CollectionName>(collection: N, figure: FigureName<N>, value: string): number;
}

/** A transaction. Its reads include the changes of this and all earlier transactions, durable or not. */
export interface Transaction extends ReadView {
  put<N extends CollectionName>(collection: N, record: Collections[N]): void;
  delete<N extends CollectionName>(collection: N, key: string): void;
  /** The next sequence number. Starts at 1 and increases; two durable transactions never get the same number. */
  nextSequence(): number;
}

/**
 * Calls `listener` with every record put into a collection from now on, once its transaction is durable and readable,
 * in the order of transactions. The listener must not block. Returns the function to unsubscribe.
 */
export type Watch = <N extends CollectionName>(collection: N, listener: (record: Collections[N]) => void) => () => void;

export interface StoreStatus {
  /** False while the disk refuses writes. Transactions then fail with STORE_UNAVAILABLE and change nothing. */
  readonly writable: boolean;
  /** What is wrong with the disk, without a full stop. */
  readonly reason?: string;
  readonly schemaVersion: number;
}

/** The store. Reads outside a transaction return durable records only. */
export interface Store extends ReadView {
  /**
   * Runs `decide` at once and synchronously; resolves with its result as soon as its changes are durable (synced).
   * If `decide` throws, nothing changes and the promise rejects with that error. A transaction without changes does not
   * write, but settles only when the earlier transactions whose changes it could see are durable.
   * @throws Failure STORE_UNAVAILABLE when the disk refuses; nothing was changed then
   */
  transact<T>(decide: (tx: Transaction) => T): Promise<T>;
  readonly watch: Watch;
  /** A value that changes whenever a durable record changes. */
  version(): number;
  status(): StoreStatus;
  /** Latest time (ms) in the data at start. The clock must not start before it. */
  readonly lastTime: number;
  /** Waits for running work, writes a checkpoint and releases the lock of the folder. */
  close(): Promise<void>;
}
