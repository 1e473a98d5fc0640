// The guard of an operation: what it looks after, how that is handed out, and the proof that it was.
import type { Guard, GuardedKind, GuardLevel, Level, Operation } from '../../src/contract/operation.ts';
import { Failure } from '../domain/failure.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import type { AliasRecord, ConfigRecord } from '../domain/records/resource-records.ts';
import type { Caller, HandlerContext } from './route-handler.ts';

type Params = Readonly<Record<string, string>>;

/** Hands out the thing that a path names, to a caller who holds that level on it. Each throws Failure NOT_FOUND or FORBIDDEN. */
export interface ResourceAccess {
  actor(caller: Caller, actorIdOrAlias: string, level: Level): ActorRecord;
  alias(caller: Caller, alias: string, level: Level): AliasRecord;
  /** The alias and the actor to which it points at this moment. */
  aliasAndActor(caller: Caller, alias: string, level: Level): Pick<AuthorizedResources, 'alias' | 'actor'>;
  config(caller: Caller, name: string, level: Level): ConfigRecord;
}

/** What the guard handed out. */
export interface AuthorizedResources {
  readonly actor?: ActorRecord;
  readonly alias?: AliasRecord;
  readonly config?: ConfigRecord;
}

/** A name that no object can have, and that must never become part of a path. @see auth.md R131 */
export const refuseUnsafeNames = (params: Params): void => {
  for (const value of Object.values(params)) {
    if (/[/\\\p{Cc}]/u.test(value)) throw new Failure('NOT_FOUND', 'There is nothing under that name.');
  }
};

/** What the guard looks after and the level it asks for; undefined where it looks after nothing but the caller. */
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
    throw new Failure('FORBIDDEN', 'This needs the role admin, which you do not have. Ask an admin to do it.');
  }
};

/** What the guard found, before its type says so. */
interface UncheckedContext extends AuthorizedResources {
  readonly requestId: string;
  readonly caller?: Caller | undefined;
}

/** Ties what the guard found to what the type of the handler says it is handed. */
export function assertAuthorized<O extends Operation>(
  { id, guard }: O,
  context: UncheckedContext,
): asserts context is UncheckedContext & HandlerContext<O> {
  const { caller, actor, alias, config } = context;
  const found = { actor, alias, 'alias+actor': alias && actor, config };
  const guarded = resourceGuardOf(guard);
  const proven =
    guard === 'public' || (caller !== undefined && (guarded === undefined || found[guarded.kind] !== undefined));
  if (!proven) throw new Error(`the guard of ${id} proved nothing`);
}
