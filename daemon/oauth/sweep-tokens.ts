// Deletes tokens and codes that are no longer needed, so that the store does not grow with every login.
// @see docs/security.md R146
import type { CodeRecord, TokenRecord } from '../domain/records/account-records.ts';
import { deleteInBatches } from '../domain/records/delete-in-batches.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** Expired access tokens are kept for this time (ms), so that their answer is "expired" and not "unknown". */
const EXPIRED_MS = HOUR_MS;
/** Used codes and refresh tokens are kept for this time (ms), so that a second use is detected. */
const USED_MS = 30 * 24 * HOUR_MS;

export interface SweepDependencies {
  readonly store: Store;
  readonly clock: Clock;
}

const isRemovable = ({ expiresAt, usedAt }: TokenRecord | CodeRecord, now: number): boolean =>
  usedAt === undefined ? expiresAt !== undefined && expiresAt <= now - EXPIRED_MS : usedAt <= now - USED_MS;

const sweep = async ({ store, clock }: SweepDependencies, collection: 'tokens' | 'codes'): Promise<number> => {
  const now = clock.now();
  const over: string[] = [];
  for (const record of store.all(collection)) if (isRemovable(record, now)) over.push(record.hash);
  return deleteInBatches(store, collection, over);
};

/** Resolves with the number of deleted tokens. */
export const sweepTokens = (dependencies: SweepDependencies): Promise<number> => sweep(dependencies, 'tokens');

/** Resolves with the number of deleted codes. */
export const sweepCodes = (dependencies: SweepDependencies): Promise<number> => sweep(dependencies, 'codes');

/** Deletes what has expired. Call it every few minutes. */
export const sweepExpired = async (dependencies: SweepDependencies): Promise<void> => {
  await sweepTokens(dependencies);
  await sweepCodes(dependencies);
};
