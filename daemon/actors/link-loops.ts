// Refuses changes to links and aliases that would create a loop of links, and events that go in a loop of webhooks.
import { findActor } from '../domain/actors/actor-reference.ts';
import { loopFrom } from '../domain/actors/link-graph.ts';
import { Failure } from '../domain/failure.ts';
import type { ActorRecord, Cause } from '../domain/records/actor-records.ts';
import { type EventRecord, eventSerialKey } from '../domain/records/event-records.ts';
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

/** The actors whose events led to an event, the latest first, along links and webhooks. Each actor is named once. */
const actorsBehind = function* (tx: Transaction, tenant: string, event: number): Generator<string> {
  const named = new Set<string>();
  for (let serial: number | undefined = event; serial !== undefined; ) {
    const found: EventRecord | undefined = tx.by('events', 'serial', eventSerialKey(tenant, serial))[0];
    if (found === undefined || named.has(found.actorId)) return;
    named.add(found.actorId);
    yield found.actorId;
    serial = tx.get('executions', found.executionId ?? '')?.cause?.event;
  }
};

/**
 * Refuses the message of a webhook whose event was caused by the actor itself. Links that form a loop are refused when
 * they are set, but the URL of a webhook does not reveal which actor it leads to.
 * @throws Failure LINK_CYCLE
 * @see docs/conformance/security.md R133
 */
export const refuseEventLoop = (tx: Transaction, { id, tenant }: ActorRecord, cause: Cause | undefined): void => {
  if (cause?.deliveryId === undefined || cause.event === undefined) return;
  for (const actorId of actorsBehind(tx, tenant, cause.event)) {
    if (actorId !== id) continue;
    throw new Failure(
      'LINK_CYCLE',
      'The message was not accepted: events would go in a loop, because an event of this actor has led to the webhook that sends it. Remove the webhook, or send it elsewhere.',
    );
  }
};
