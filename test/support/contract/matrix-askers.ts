// The callers of the permission matrix, and the status that each of them gets.
import { type Level, levels, type Operation } from '../../../src/contract/operation.ts';
import { type Name, people } from '../service/actor-service.ts';
import type { Beyond, Case } from './matrix-cases.ts';
import type { Entries } from './matrix-world.ts';

/** A caller: with a token, with a nonce of ana, or without a credential. */
export interface Asker {
  readonly by: 'token' | 'nonce of the actor' | 'nonce of the alias' | 'nonce of another actor' | 'nothing';
  readonly name?: Name;
  /** Permissions in addition to that of ana, who owns everything. */
  readonly entries?: Entries;
  /** The level that the permissions or the nonce give. */
  readonly level: Level;
}

const byEntry = (level: Level): Asker => ({ by: 'token', name: 'bob', entries: { bob: level }, level });
const byWorld = (level: Level): Asker => ({ by: 'token', name: 'bob', entries: { ABACO_WORLD: level }, level });

export const askers: Readonly<Record<string, Asker>> = {
  'the owner': { by: 'token', name: 'ana', level: 'UPDATE' },
  'a user with the permission UPDATE': byEntry('UPDATE'),
  'a user with the permission EXECUTE': byEntry('EXECUTE'),
  'a user with the permission READ': byEntry('READ'),
  'a user with the permission NONE': byEntry('NONE'),
  'a user without a permission': { by: 'token', name: 'bob', level: 'NONE' },
  'a privileged user without a permission': { by: 'token', name: 'priv', level: 'NONE' },
  'an admin without a permission': { by: 'token', name: 'admin', level: 'NONE' },
  'any user if everybody has READ': byWorld('READ'),
  'any user if everybody has EXECUTE': byWorld('EXECUTE'),
  'any user if everybody has UPDATE': byWorld('UPDATE'),
  ...Object.fromEntries(
    levels.map((level) => [`a nonce of the actor, of level ${level}`, { by: 'nonce of the actor', level }]),
  ),
  'a nonce of the alias, of level NONE': { by: 'nonce of the alias', level: 'NONE' },
  'a nonce of the alias, of level READ': { by: 'nonce of the alias', level: 'READ' },
  'a nonce of the alias, of level EXECUTE': { by: 'nonce of the alias', level: 'EXECUTE' },
  'a nonce of another actor': { by: 'nonce of another actor', level: 'UPDATE' },
  // A permission names a user of the first tenant. The user of the same name in another tenant is a different user.
  'a user of another tenant with the name of the owner': { by: 'token', name: 'otherAna', level: 'UPDATE' },
  'a user of another tenant if everybody has UPDATE': {
    by: 'token',
    name: 'otherAna',
    entries: { ABACO_WORLD: 'UPDATE' },
    level: 'UPDATE',
  },
  'an admin of another tenant': { by: 'token', name: 'otherAdmin', level: 'UPDATE' },
  'a caller without a credential': { by: 'nothing', level: 'NONE' },
};

const OK = 200;
const reaches = (has: Level, needed: Level) => levels.indexOf(needed) <= levels.indexOf(has);

/**
 * The status that a caller gets from an operation with this guard. The rules apply in this order. @see docs/http-api.md#permissions
 * "Tenants, users, roles"
 */
const statusOf = (asker: Asker, guard: string): number => {
  const [kind = '', asked = ''] = guard.split(':');
  const needed = levels.find((level) => level === asked) ?? 'NONE';
  const { by, level } = asker;
  const { tenant, roles } = people[asker.name ?? 'ana'];
  const isAdmin = roles.some((role) => role === 'admin');
  if (by === 'nothing') return 401;
  if (by !== 'token') {
    // A nonce allows only the resource that it was created for.
    const opened = { 'nonce of the actor': ['actor'], 'nonce of the alias': ['actor', 'alias', 'alias+actor'] };
    if (by === 'nonce of another actor' || !opened[by].includes(kind)) return 401;
    return reaches(level, needed) ? OK : 403;
  }
  switch (kind) {
    case 'caller':
    case 'owner-or-caller':
    case 'basic-or-caller':
      return OK;
    case 'admin':
    case 'owner-or-admin':
      return isAdmin ? OK : 403;
    default:
      if (tenant !== 'DEV') return 404;
      if (isAdmin && kind !== 'config') return OK;
      if (!reaches(level, 'READ')) return 404;
      return reaches(level, needed) ? OK : 403;
  }
};

/** The status that a caller gets from a check of the handler in addition to the guard. */
const beyondOf = (asker: Asker, beyond: Beyond): number => {
  const isOfTenant = people[asker.name ?? 'ana'].tenant === 'DEV';
  switch (beyond) {
    case 'own':
      return asker.name === 'ana' ? OK : 404;
    case 'of the tenant':
      return isOfTenant ? OK : 404;
    case 'look after the tenant':
      return isOfTenant ? OK : 403;
    case 'the clock':
      return isOfTenant ? 409 : 403;
    case 'the role admin':
      return asker.name === 'admin' ? OK : 403;
    case 'the execution itself':
      return 403;
    default:
      return statusOf(asker, beyond);
  }
};

export const expected = (asker: Asker, { guard }: Operation, { answers, beyond }: Case): number => {
  if (answers !== undefined) return answers;
  const status = statusOf(asker, guard);
  return status === OK && beyond !== undefined ? beyondOf(asker, beyond) : status;
};

/** One caller of each kind. The listeners share the checks, so the other callers prove nothing new at the second one. */
export const legacyAskers: ReadonlySet<string> = new Set([
  'the owner',
  'a user with the permission READ',
  'a user without a permission',
  'an admin without a permission',
  'a nonce of the actor, of level READ',
  'a nonce of the alias, of level EXECUTE',
  'a user of another tenant with the name of the owner',
  'an admin of another tenant',
  'a caller without a credential',
]);

/** The kinds of guards that hide what the caller may not read. */
const HIDING: ReadonlySet<string> = new Set(['actor', 'alias', 'alias+actor', 'config']);

/** Operations whose body names an actor, and how they treat one that the caller may not read. */
const NAMED: Readonly<Record<string, string>> = { 'configs.create': 'actor', 'aliases.create': 'alias' };

/**
 * The status of the listener for programs of the hosted platform: 400 for too low a level, and for a resource that the
 * caller may not read. An actor id of another tenant looks like such a resource, except to an admin. @see
 * docs/legacy.md#differences-between-the-listeners
 */
export const legacyStatus = (asker: Asker, operation: Operation, sent: Case): number => {
  const status = expected(asker, operation, sent);
  if (status === 403 || status === 409) return 400;
  const named = NAMED[operation.id];
  const kind = named ?? operation.guard.split(':')[0] ?? '';
  const isHidden = HIDING.has(kind) && (named !== undefined || statusOf(asker, operation.guard) === 404);
  if (status !== 404 || !isHidden) return status;
  const { tenant, roles } = people[asker.name ?? 'ana'];
  if (tenant === 'DEV') return 400;
  return kind === 'actor' && !roles.some((role) => role === 'admin') ? 400 : 404;
};
