// Refuses changes to links and aliases that would create a loop of links.
import { findActor } from '../domain/actors/actor-reference.ts';
import { loopFrom } from '../domain/actors/link-graph.ts';
import { Failure } from '../domain/failure.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import type { Caller } from '../http/route-handler.ts';
import type { Transaction } from '../ports/store.ts';
import { canRead } from './access.ts';

/** A planned change: a new link of an actor (id or alias, as given), or a new actor of an alias. */
export type LinkChange =
  | { readonly actorId: string; readonly link: string }
  | { readonly alias: string; readonly actorId: string };

/**
 * The id of the actor with that id or alias after the change. An actor id takes precedence over an alias, as in every
 * route.
 */
const targetId = (tx: Transaction, tenant: string, idOrAlias: string, change: LinkChange): string | undefined => {
  if (!('alias' in change) || change.alias !== idOrAlias) return findActor(tx, tenant, idOrAlias)?.id;
  const byId = tx.get('actors', idOrAlias);
  return byId?.tenant === tenant ? byId.id : change.actorId;
};

const linkOf = (tx: Transaction, tenant: string, change: LinkChange) => (actorId: string) => {
  const link = 'link' in change && change.actorId === actorId ? change.link : tx.get('actors', actorId)?.link;
  return link === undefined ? undefined : targetId(tx, tenant, link, change);
};

/** The name or id of an actor, or a placeholder for an actor that the caller may not read. */
const actorLabel = (
  caller: Pick<Caller, 'tenant' | 'username'>,
  actor: ActorRecord | undefined,
  id: string,
): string => {
  if (actor === undefined) return id;
  return canRead(actor, caller) ? actor.name || id : 'an actor that you may not read';
};

/**
 * Checks a change before it is written. Every operation that can create a loop must call it in its transaction:
 * creating and updating actors and aliases. The error message shows the loop, with placeholders for actors that the
 * caller may not read.
 * @throws Failure LINK_CYCLE
 * @see docs/conformance/security.md R133, docs/http-api.md#errors
 */
export const refuseLoop = (tx: Transaction, caller: Pick<Caller, 'tenant' | 'username'>, change: LinkChange): void => {
  // A new loop must pass through this actor: either its own link changes, or the alias now points to it.
  const loop = loopFrom(change.actorId, linkOf(tx, caller.tenant, change));
  if (loop === undefined) return;
  const path = loop.map((id) => actorLabel(caller, tx.get('actors', id), id));
  const why = loop.length === 2 ? 'an actor cannot link to itself' : `events would go in a loop: ${path.join(' -> ')}`;
  throw new Failure(
    'LINK_CYCLE',
    `this update would result in a cycle of linked actors: ${why}. Link to another actor, or remove one of these links first.`,
    { path },
  );
};
