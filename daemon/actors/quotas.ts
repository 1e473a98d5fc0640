// Checks whether a user may own one more object. Limits keep a runaway script from filling the disk.
import { Failure } from '../domain/failure.ts';
import { demandUser } from '../domain/people/demand-user.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Caller } from '../http/route-handler.ts';
import type { Transaction } from '../ports/store.ts';

export type Quotas = Readonly<Record<'actors' | 'aliases' | 'nonces' | 'configs', number>>;

/** Default limits, far above what a person creates by hand. */
const DEFAULT_QUOTAS: Quotas = { actors: 10_000, aliases: 10_000, nonces: 10_000, configs: 10_000 };

export const quotaOf = (kind: keyof Quotas, quotas: Partial<Quotas> = {}): number =>
  quotas[kind] ?? DEFAULT_QUOTAS[kind];

/** Call it in the transaction that creates the object, before the object is written. @see docs/conformance/security.md R84, R138 */
export const demandOwner = (
  tx: Transaction,
  { tenant, username }: Pick<Caller, 'tenant' | 'username'>,
  kind: keyof Quotas,
  quotas?: Partial<Quotas>,
): void => {
  demandUser(tx, { tenant, username });
  const limit = quotaOf(kind, quotas);
  const owned = tx.countBy(kind, 'owner', joinKey(tenant, username));
  if (owned < limit) return;
  throw new Failure(
    'QUOTA_EXCEEDED',
    `You own ${owned} ${kind}, and the limit is ${limit}. Delete some that you no longer need.`,
    { kind, owned, limit },
  );
};
