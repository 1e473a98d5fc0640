// Evaluates the guard of an operation: finds the resource that the path names and checks the caller's level on it.
import type { IncomingMessage } from 'node:http';
import {
  type Guard,
  type GuardedKind,
  type GuardLevel,
  type Level,
  type Operation,
  takesOwner,
} from '../../src/contract/operation.ts';
import { Failure } from '../domain/failure.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import type { AliasRecord, ConfigRecord } from '../domain/records/resource-records.ts';
import { isFromOwner } from './request/owner.ts';
import type { Caller, HandlerContext } from './route-handler.ts';

type Params = Readonly<Record<string, string>>;

/** Each method throws Failure NOT_FOUND or FORBIDDEN. */
export interface ResourceAccess {
  /** Refuses what an execution token may not do, whether or not the path names an existing object. */
  withinReach(caller: Caller, operation: Pick<Operation, 'id' | 'method'>, params: Params): void;
  actor(caller: Caller, actorIdOrAlias: string, level: Level): ActorRecord;
  /**
   * Resolves an actor name to an id: if the caller owns exactly one actor with the name and the text is neither an id
   * nor the caller's alias, or if exactly one actor that the caller may read has the name and the text is no alias.
   * Otherwise returns the text.
   * @throws Failure NOT_FOUND if the text means an actor of another user and `ownOnly` is set, or the alias of another
   * user although the caller owns several actors of that name
   */
  idOrText(caller: Caller, text: string, ownOnly: boolean): string;
  alias(caller: Caller, alias: string, level: Level): AliasRecord;
  /** The alias and the actor that it points to now. */
  aliasAndActor(caller: Caller, alias: string, level: Level): Pick<AuthorizedResources, 'alias' | 'actor'>;
  config(caller: Caller, name: string, level: Level): ConfigRecord;
}

export interface AuthorizedResources {
  readonly actor?: ActorRecord | undefined;
  readonly alias?: AliasRecord | undefined;
  readonly config?: ConfigRecord | undefined;
}

/**
 * Refuses a name that no resource can have and that must never become part of a file path.
 * @see docs/conformance/security.md R131
 */
export const refuseUnsafeNames = (params: Params): void => {
  for (const value of Object.values(params)) {
    if (/[/\\\p{Cc}]/u.test(value)) throw new Failure('NOT_FOUND', 'There is nothing with that name. Check the path.');
  }
};

export interface ResourceGuard {
  readonly kind: GuardedKind;
  readonly level: GuardLevel;
}

const resourceKinds: readonly GuardedKind[] = ['actor', 'alias', 'alias+actor', 'config'];
const guardLevels: readonly GuardLevel[] = ['READ', 'EXECUTE', 'UPDATE'];

export const resourceGuardOf = (guard: Guard): ResourceGuard | undefined => {
  const [name, asked] = guard.split(':');
  const kind = resourceKinds.find((each) => each === name);
  const level = guardLevels.find((each) => each === asked);
  return kind && level && { kind, level };
};

export const authorizeResource = (
  access: ResourceAccess,
  caller: Caller,
  { kind, level }: ResourceGuard,
  params: Params,
): AuthorizedResources => {
  switch (kind) {
    case 'actor':
      return { actor: access.actor(caller, params['actorId'] ?? '', level) };
    case 'alias':
      return { alias: access.alias(caller, params['alias'] ?? '', level) };
    case 'alias+actor':
      return access.aliasAndActor(caller, params['alias'] ?? '', level);
    case 'config':
      return { config: access.config(caller, params['configName'] ?? '', level) };
  }
};

export const demandAdmin = (caller: Caller): void => {
  if (!caller.roles.includes('admin')) {
    throw new Failure('FORBIDDEN', 'This request needs the role admin, which you do not have. Ask an admin to do it.');
  }
};

export const needsCaller = (guard: Guard): boolean => guard !== 'public' && guard !== 'owner';

/** True for a request of the owner of the data without a token, to an operation that accepts such a request. */
export const isOwnRequest = (guard: Guard, request: IncomingMessage): boolean =>
  takesOwner(guard) && isFromOwner(request) && request.headers.authorization === undefined;

interface UncheckedContext extends AuthorizedResources {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly caller?: Caller | undefined;
}

/** Throws if the guard did not find every resource that the type of the handler context declares. */
export function assertAuthorized<O extends Operation>(
  { id, guard }: O,
  guarded: ResourceGuard | undefined,
  context: UncheckedContext,
): asserts context is UncheckedContext & HandlerContext<O> {
  const { caller, request, actor, alias, config } = context;
  const found = { actor, alias, 'alias+actor': alias && actor, config };
  const proven =
    !needsCaller(guard) ||
    isOwnRequest(guard, request) ||
    (caller !== undefined && (guarded === undefined || found[guarded.kind] !== undefined));
  if (!proven) throw new Error(`the guard of ${id} was not evaluated`);
}
