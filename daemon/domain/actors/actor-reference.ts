// Finds the actor that an id or an alias refers to.
import type { ReadView } from '../../ports/store.ts';
import type { ActorRecord } from '../records/actor-records.ts';
import { nameKey } from '../records/resource-records.ts';

/** An actor id takes precedence over an alias. @see docs/conformance/security.md R124 */
export const findActor = (view: ReadView, tenant: string, idOrAlias: string): ActorRecord | undefined => {
  const byId = view.get('actors', idOrAlias);
  if (byId?.tenant === tenant) return byId;
  const alias = view.get('aliases', nameKey(tenant, idOrAlias));
  return alias && view.get('actors', alias.actorId);
};
