// Limits how many objects a user may own, so that a runaway script does not fill the disk.
import { Failure } from '../domain/failure.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Caller } from '../http/route-handler.ts';
import type { Transaction } from '../ports/store.ts';

/** Objects that one user may own, by kind. */
export type Quotas = Readonly<Record<'actors' | 'aliases' | 'nonces' | 'configs', number>>;

/** Far above what a person creates by hand. */
const DEFAULT_QUOTAS: Quotas = { actors: 10_000, aliases: 10_000, nonces: 10_000, configs: 10_000 };

/**
 * Call it in the transaction that creates the object, before the object is written.
 * @throws Failure QUOTA_EXCEEDED
 * @see docs/security.md R138
 */
export const refuseBeyondQuota = (
  tx: Transaction,
  { tenant, username }: Pick<Caller, 'tenant' | 'username'>,
  kind: keyof Quotas,
  quotas: Partial<Quotas> = {},
): void => {
  const limit = quotas[kind] ?? DEFAULT_QUOTAS[kind];
  const owned = tx.countBy(kind, 'owner', joinKey(tenant, username));
  if (owned < limit) return;
  throw new Failure(
    'QUOTA_EXCEEDED',
    `You own ${owned} ${kind}, and the limit is ${limit}. Delete some that you no longer need.`,
    { kind, owned, limit },
  );
};
