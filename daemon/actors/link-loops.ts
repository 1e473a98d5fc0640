// No change of a link or of an alias may close a loop of links.
import { findActor } from '../domain/actors/actor-reference.ts';
import { loopFrom } from '../domain/actors/link-graph.ts';
import { Failure } from '../domain/failure.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import type { Caller } from '../http/route-handler.ts';
import type { Transaction } from '../ports/store.ts';
import { canRead } from './access.ts';

/** What is about to be so: the link of an actor (id or alias, as it was given), or the actor of an alias, new or re-pointed. */
export type LinkChange =
  | { readonly actorId: string; readonly link: string }
  | { readonly alias: string; readonly actorId: string };

/** The actor of that id or alias, as if the change were made. An id wins over an alias, as in every route. */
const targetId = (tx: Transaction, tenant: string, idOrAlias: string, change: LinkChange): string | undefined => {
  if (!('alias' in change) || change.alias !== idOrAlias) return findActor(tx, tenant, idOrAlias)?.id;
  const byId = tx.get('actors', idOrAlias);
  return byId?.tenant === tenant ? byId.id : change.actorId;
};

const linkOf = (tx: Transaction, tenant: string, change: LinkChange) => (actorId: string) => {
  const link = 'link' in change && change.actorId === actorId ? change.link : tx.get('actors', actorId)?.link;
  return link === undefined ? undefined : targetId(tx, tenant, link, change);
};

/** An actor's name, else its id; neither of one that the caller may not read. */
const actorLabel = (
  caller: Pick<Caller, 'tenant' | 'username'>,
  actor: ActorRecord | undefined,
  id: string,
): string => {
  if (actor === undefined) return id;
  return canRead(actor, caller) ? actor.name || id : 'an actor that you may not read';
};

/**
 * Every path by which a loop could arise asks here, in the transaction that makes the change: registering and updating an
 * actor, making and re-pointing an alias. Asked before the change is put; nothing is put here. The message carries the way
 * round the loop, as far as the caller may read the actors on it.
 * @throws Failure LINK_CYCLE
 * @see auth.md R133, facts 0.7
 */
export const refuseLoop = (tx: Transaction, caller: Pick<Caller, 'tenant' | 'username'>, change: LinkChange): void => {
  // A loop that the change closes goes through this actor: its link changes, or the alias comes to lead to it.
  const loop = loopFrom(change.actorId, linkOf(tx, caller.tenant, change));
  if (loop === undefined) return;
  const path = loop.map((id) => actorLabel(caller, tx.get('actors', id), id));
  const why = loop.length === 2 ? 'an actor cannot link to itself' : `events would go round ${path.join(' -> ')}`;
  throw new Failure(
    'LINK_CYCLE',
    `this update would result in a cycle of linked actors: ${why}. Link to another actor, or remove one of these links first.`,
    { path },
  );
};
