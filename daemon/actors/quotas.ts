// How many things of one kind a user may own; a script that runs wild must not fill the disk of all.
import { Failure } from '../domain/failure.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Caller } from '../http/route-handler.ts';
import type { Transaction } from '../ports/store.ts';

/** Most that one user may own, by kind. */
export type Quotas = Readonly<Record<'actors' | 'aliases' | 'nonces' | 'configs', number>>;

/** Far above what a person makes by hand. */
const DEFAULT_QUOTAS: Quotas = { actors: 10_000, aliases: 10_000, nonces: 10_000, configs: 10_000 };

/**
 * Asked in the transaction that makes one more, before it is put.
 * @throws Failure QUOTA_EXCEEDED
 * @see auth.md R138
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
    `You own ${owned} ${kind}, and nobody may own more than ${limit}. Delete some that are not needed any more.`,
    { kind, owned, limit },
  );
};
