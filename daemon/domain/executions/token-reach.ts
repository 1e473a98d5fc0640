// What an execution token may do: with its own actor, and for its owner. @see docs/actors.md#access-to-the-service
import type { TokenReach } from '../../../src/contract/actors/actors.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import type { OperationId } from '../../../src/contract/operations.ts';
import { Failure } from '../failure.ts';
import type { ActorRecord } from '../records/actor-records.ts';

export const tokenReachOf = ({
  token,
  stateless,
  dialect,
}: Pick<ActorRecord, 'token' | 'stateless' | 'dialect'>): TokenReach => {
  if (!token && stateless) return 'none';
  if (dialect === 'legacy') return 'whole';
  return token ? 'owner' : 'own';
};

/**
 * The reach of an existing token. It is never `none`: if the actor has lost its token setting since the execution
 * began, the token has the reach `own`.
 */
export type HeldReach = Exclude<TokenReach, 'none'>;

/** @param actor undefined if it was deleted */
export const heldReachOf = (actor: Parameters<typeof tokenReachOf>[0] | undefined): HeldReach => {
  const reach = actor === undefined ? 'none' : tokenReachOf(actor);
  return reach === 'none' ? 'own' : reach;
};

/** What the request path must name. `anything` is for an operation without a path parameter. */
export type Place = 'anything' | 'actor' | 'execution' | 'link';

/**
 * Every operation that a token with the reach `own` may call, and on which objects. A new operation is refused until it
 * is added here.
 */
const ownOperations: Partial<Record<OperationId, Place>> = {
  'profiles.me': 'anything',
  'actors.show': 'actor',
  'cron.show': 'actor',
  'messages.count': 'actor',
  'messages.send': 'link',
  'executions.list': 'actor',
  'executions.show': 'execution',
  'executions.find': 'execution',
  'executions.logs': 'execution',
  'results.take': 'execution',
  'results.post': 'execution',
  'state.show': 'actor',
  'state.set': 'actor',
  'state.versions': 'actor',
  'state.version': 'actor',
  'state.restore': 'actor',
  'workers.list': 'actor',
  'workers.show': 'actor',
};

export const ownPlaceOf = (operationId: string): Place | undefined =>
  Object.hasOwn(ownOperations, operationId) ? ownOperations[operationId as OperationId] : undefined;

/** Resources that give somebody access, including those that exist only in the legacy dialect. */
const GRANTING =
  /^(?:(?:alias-|config-)?permissions|(?:alias-)?nonces|clients|logins|subscriptions|users|profiles|tenants)\./;

/** Refuses a change that would outlive the execution. */
export const refuseGranting = ({ id, method }: Pick<Operation, 'id' | 'method'>): void => {
  if (method === 'GET' || !GRANTING.test(id)) return;
  throw new Failure(
    'FORBIDDEN',
    'The token of an execution cannot change permissions, nonces, clients, logins or users: the change would outlive it. Use the token of a login.',
  );
};

/** The failure for everything that a token with the reach `own` cannot do. It reveals nothing about the object. */
export const beyondOwn = (): Failure =>
  new Failure(
    'FORBIDDEN',
    "The token of this execution reads its own actor and execution, and writes its own state, its own results and messages to the actor's link. For other requests, update the actor with token: true (`actorctl actors update ACTOR --token`).",
  );

/**
 * True if a token may decide which code an actor runs. An actor of the legacy dialect gives its executions a token that
 * can do more than one with the reach `owner`.
 * @param reach undefined for a caller that is no execution
 */
export const mayChooseCodeWith = (reach: HeldReach | undefined, { dialect }: Pick<ActorRecord, 'dialect'>): boolean =>
  reach === undefined || reach === 'whole' || (reach === 'owner' && dialect !== 'legacy');

export const demandCodeWith = (reach: HeldReach | undefined, actor: Pick<ActorRecord, 'dialect'>): void => {
  if (mayChooseCodeWith(reach, actor)) return;
  throw new Failure(
    'FORBIDDEN',
    'The token of this execution cannot create or update an actor of the legacy dialect, whose executions get a token that can do more. Use the token of a login.',
  );
};
