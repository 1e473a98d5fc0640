// Removes tokens and codes that are of no use any more, so that the store does not grow with every login. @see auth.md R146
import type { CodeRecord, TokenRecord } from '../domain/records/account-records.ts';
import { deleteInBatches } from '../domain/records/delete-in-batches.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** An expired access token is kept this long, so that its holder is told "expired" and not "unknown". */
const EXPIRED_MS = HOUR_MS;
/** A used code or refresh token is kept this long, so that its second use is noticed. */
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

/** Resolves with how many tokens were removed. */
export const sweepTokens = (dependencies: SweepDependencies): Promise<number> => sweep(dependencies, 'tokens');

/** Resolves with how many codes were removed. */
export const sweepCodes = (dependencies: SweepDependencies): Promise<number> => sweep(dependencies, 'codes');

/** Removes all that has expired. Meant to be called every few minutes. */
export const sweepExpired = async (dependencies: SweepDependencies): Promise<void> => {
  await sweepTokens(dependencies);
  await sweepCodes(dependencies);
};
