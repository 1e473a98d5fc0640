// Numbers visible to callers count within one tenant, so that a tenant cannot observe the activity of others.
import type { ReadView, Transaction } from '../../ports/store.ts';
import type { SerialKind, SerialsRecord } from './serials.ts';

const serialsOf = (view: ReadView, tenant: string): SerialsRecord =>
  view.get('serials', tenant) ?? { tenant, events: 0, deliveries: 0, users: 0 };

export const lastSerial = (view: ReadView, tenant: string, kind: SerialKind): number => serialsOf(view, tenant)[kind];

/** @see docs/conformance/security.md R123 */
export const nextSerial = (tx: Transaction, tenant: string, kind: SerialKind): number => {
  const serials = serialsOf(tx, tenant);
  const serial = serials[kind] + 1;
  tx.put('serials', { ...serials, [kind]: serial });
  return serial;
};
