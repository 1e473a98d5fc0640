// Setting the link of an actor: to what it may lead, and who may set it.
import { findActor } from '../../domain/actors/actor-reference.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { Transaction } from '../../ports/store.ts';
import { hasLevel, levelOn } from '../access.ts';
import { refuseLoop } from '../link-loops.ts';

/**
 * Asked in the transaction that sets the link, before the actor is put. One that stays as it was is not asked about again:
 * who may change other fields need not hold EXECUTE on what somebody else linked.
 * @throws Failure VALIDATION when there is no such actor, or none that the caller may learn of; FORBIDDEN without EXECUTE
 * on it; LINK_CYCLE
 * @see spec 2.4, 5.6, auth.md R133
 */
export const checkLink = (tx: Transaction, caller: Caller, actor: ActorRecord): void => {
  const { id, link } = actor;
  if (link === undefined || tx.get('actors', id)?.link === link) return;
  if (link === id) refuseLoop(tx, caller, { actorId: id, link });
  const target = findActor(tx, caller.tenant, link);
  if (target === undefined || !hasLevel(target, caller, 'READ')) {
    throw new Failure('VALIDATION', `link ${JSON.stringify(link)} is no actor: check the id or alias.`, {
      field: 'link',
    });
  }
  if (!hasLevel(target, caller, 'EXECUTE')) {
    const level = levelOn(target, caller);
    throw new Failure(
      'FORBIDDEN',
      `you do not have access to the actor of the link: the level EXECUTE is needed and you have ${level}. Ask its owner for it.`,
      { needed: 'EXECUTE', has: level },
    );
  }
  refuseLoop(tx, caller, { actorId: id, link });
};
