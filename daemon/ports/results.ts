// Port of results: receives the bytes that a running execution returns.
import type { Transaction } from './store.ts';

/** A result whose bytes are durable, and which a transaction can add. */
export interface StagedResult {
  /** Adds the result behind all others of its execution. */
  add(tx: Transaction): void;
  /** Must be called if no transaction adds the result. */
  discard(): Promise<void>;
}

export interface Results {
  /**
   * Adds a result of a running execution; resolves with the number of unread results once it is durable. Results of one
   * execution keep the order of the calls.
   * @throws Failure VALIDATION when it is empty, PAYLOAD_TOO_LARGE, NOT_FOUND when the execution is not running,
   * THROTTLED when too many results are unread, STORE_UNAVAILABLE
   */
  put(executionId: string, bytes: Uint8Array): Promise<number>;
  /**
   * Stores the bytes of the last result of a running execution, for the transaction that ends it.
   * @throws Failure as `put`
   */
  stage(executionId: string, bytes: Uint8Array): Promise<StagedResult>;
}
