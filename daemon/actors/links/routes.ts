// Handlers of links: show and check. A link is set and removed by an update of its actor.
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { findActor } from '../../domain/actors/actor-reference.ts';
import { allows } from '../../domain/actors/nonce.ts';
import { receiverOf } from '../../domain/events/emission.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import type { Caller, Handlers } from '../../http/route-handler.ts';
import type { ReadView, Transaction } from '../../ports/store.ts';
import { canRead, resourceAccess } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { checkLink } from '../registry/link.ts';
import { webhookProblemOf } from '../webhook-sight.ts';

type Links = ResultOf<Operations['links.show']>;
type Verdict = ResultOf<Operations['links.check']>;

/**
 * The actors that link to this actor and that the caller may read. Empty for a nonce: it gives access to one actor
 * only, not to everything that its owner may read.
 */
const sendersTo = (store: ReadView, caller: Caller, { id, tenant }: ActorRecord): readonly ActorRecord[] =>
  caller.nonceId !== undefined
    ? []
    : store
        .by('actors', 'tenant', tenant)
        .filter(
          (other) =>
            other.link !== undefined && findActor(store, tenant, other.link)?.id === id && canRead(other, caller),
        );

const linksOf = (store: ReadView, caller: Caller, actor: ActorRecord): Links => {
  const receiver = receiverOf(store, actor);
  const link = actor.link ?? '';
  const webhookProblem = webhookProblemOf(store, caller, actor);
  return {
    link: link === '' ? null : link,
    out: receiver !== undefined && 'id' in receiver ? receiver.id : null,
    ...(receiver !== undefined && 'problem' in receiver && { problem: receiver.problem }),
    ...(webhookProblem !== undefined && { webhookProblem }),
    in: sendersTo(store, caller, actor).map(({ id }) => id),
  };
};

/**
 * A nonce acts as its owner, but may have a lower level than the owner, so the nonce's level is checked too.
 * @throws Failure FORBIDDEN
 */
const demandUpdatingNonce = (view: Pick<ReadView, 'get'>, { nonceId }: Caller): void => {
  if (nonceId === undefined) return;
  const { level = 'NONE' } = view.get('nonces', nonceId) ?? {};
  if (allows({ level }, 'UPDATE')) return;
  throw new Failure('FORBIDDEN', `The nonce has the level ${level}, but UPDATE is needed to set a link.`, {
    needed: 'UPDATE',
    has: level,
  });
};

const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Converts a refusal to a check result. Other errors are thrown again. */
const verdictOf = (thrown: unknown): Verdict => {
  if (!(thrown instanceof Failure)) throw thrown;
  const { code, message, detail } = thrown;
  const path = detail?.['path'];
  return { allowed: false, why: message, code, ...(isStringArray(path) && { path }) };
};

/** Makes the handlers. @see docs/http-api.md#events, docs/conformance/security.md R133 */
export const linksHandlers = (deps: ActorsDependencies): Handlers<'links.show' | 'links.check'> => {
  const { store } = deps;
  const access = resourceAccess(deps);
  const check = (tx: Transaction, caller: Caller, actor: ActorRecord, target: string): Verdict => {
    try {
      demandUpdatingNonce(tx, caller);
      access.actor(caller, actor.id, 'UPDATE');
      checkLink(tx, caller, { ...(tx.get('actors', actor.id) ?? actor), link: target });
      return { allowed: true };
    } catch (thrown) {
      return verdictOf(thrown);
    }
  };
  return {
    'links.show': ({ actor, caller }) => ({ result: linksOf(store, caller, actor), message: 'Links retrieved.' }),

    'links.check': async ({ actor, caller, query: { target } }) => {
      const result = await store.transact((tx) => check(tx, caller, actor, target));
      return { result, message: result.allowed ? 'The link is allowed.' : 'The link is not allowed.' };
    },
  };
};
