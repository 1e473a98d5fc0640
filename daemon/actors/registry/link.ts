// Checks a new link of an actor: its target and the permission of the caller.
import { findActor } from '../../domain/actors/actor-reference.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { Transaction } from '../../ports/store.ts';
import { hasLevel, levelOn } from '../access.ts';
import { refuseLoop } from '../link-loops.ts';

/**
 * Call it in the transaction that sets the link, before the actor is written. An unchanged link is not checked, so that
 * a user can change other fields without EXECUTE on an actor that another user linked.
 * @throws Failure VALIDATION if there is no such actor or the caller may not read it, FORBIDDEN without EXECUTE on it,
 * LINK_CYCLE
 * @see docs/http-api.md#events, docs/conformance/security.md R133
 */
export const checkLink = (tx: Transaction, caller: Caller, actor: ActorRecord): void => {
  const { id, link } = actor;
  if (link === undefined || tx.get('actors', id)?.link === link) return;
  if (link === id) refuseLoop(tx, caller, { actorId: id, link });
  const target = findActor(tx, caller.tenant, link);
  if (target === undefined || !hasLevel(target, caller, 'READ')) {
    throw new Failure('VALIDATION', `link ${JSON.stringify(link)} is not an actor: check the id or alias.`, {
      field: 'link',
    });
  }
  if (!hasLevel(target, caller, 'EXECUTE')) {
    const level = levelOn(target, caller);
    throw new Failure(
      'FORBIDDEN',
      `you do not have access to the actor of the link: the level EXECUTE is needed and you have ${level}. Ask the owner to grant it.`,
      { needed: 'EXECUTE', has: level },
    );
  }
  refuseLoop(tx, caller, { actorId: id, link });
};
