// From an id or an alias to the actor that it means at this moment.
import type { ReadView } from '../../ports/store.ts';
import type { ActorRecord } from '../records/actor-records.ts';
import { nameKey } from '../records/resource-records.ts';

/** The actor of that id, or the one to which the alias of that name points now; an id wins over an alias. @see auth.md R124 */
export const findActor = (view: ReadView, tenant: string, idOrAlias: string): ActorRecord | undefined => {
  const byId = view.get('actors', idOrAlias);
  if (byId?.tenant === tenant) return byId;
  const alias = view.get('aliases', nameKey(tenant, idOrAlias));
  return alias && view.get('actors', alias.actorId);
};
