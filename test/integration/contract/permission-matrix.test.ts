// The permission matrix: every operation of the contract for every kind of caller, with the status that the rules below
// predict. It is over 250 lines because the rules and their tests belong together.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Level, levels, type Operation, parameterNames } from '../../../src/contract/operation.ts';
import { type OperationId, operations } from '../../../src/contract/operations.ts';
import { type Beyond, type Case, cases } from '../../support/contract/matrix-cases.ts';
import { type Entries, type MatrixWorld, putWorld } from '../../support/contract/matrix-world.ts';
import { type ActorService, type Name, people, startActorService } from '../../support/service/actor-service.ts';
import type { Answer } from '../../support/service/call.ts';

/** A caller: with a token, with a nonce of ana, or without a credential. */
interface Asker {
  readonly by: 'token' | 'nonce of the actor' | 'nonce of the alias' | 'nonce of another actor' | 'nothing';
  readonly name?: Name;
  /** Permissions in addition to that of ana, who owns everything. */
  readonly entries?: Entries;
  /** The level that the permissions or the nonce give. */
  readonly level: Level;
}

const byEntry = (level: Level): Asker => ({ by: 'token', name: 'bob', entries: { bob: level }, level });
const byWorld = (level: Level): Asker => ({ by: 'token', name: 'bob', entries: { ABACO_WORLD: level }, level });

const askers: Readonly<Record<string, Asker>> = {
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

/** A time after which wrong nonces are forgotten, so that no request is throttled. */
const LATER_MS = 10 * 60_000;

/**
 * The status that a caller gets from an operation with this guard. The rules apply in this order. @see docs/protocol.md 18
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
    case 'basic-or-caller':
      return OK;
    case 'admin':
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
    case 'the role admin':
      return asker.name === 'admin' ? OK : 403;
    case 'the execution itself':
      return 403;
    default:
      return statusOf(asker, beyond);
  }
};

const expected = (asker: Asker, { guard }: Operation, { answers, beyond }: Case): number => {
  if (answers !== undefined) return answers;
  const status = statusOf(asker, guard);
  return status === OK && beyond !== undefined ? beyondOf(asker, beyond) : status;
};

const pathOf = ({ id, path }: Operation, { by }: Asker, world: MatrixWorld): string => {
  const { nonce: _, ...names } = world;
  const named: Readonly<Record<string, string>> = {
    ...names,
    actorId: by === 'nonce of the alias' ? world.alias : world.actorId,
    nonceId: id.startsWith('alias-') ? world.aliasNonceId : world.nonceId,
    executionId: id === 'executions.rerun' ? world.endedId : world.executionId,
    tenantId: 'DEV',
    type: 'actors',
    version: '1',
  };
  return parameterNames(path).reduce((text, name) => {
    const value = named[name];
    if (value === undefined) throw new Error(`the matrix has nothing for :${name}`);
    return text.replace(`:${name}`, encodeURIComponent(value));
  }, path);
};

const secretOf = async ({ by, level }: Asker, world: MatrixWorld): Promise<string | undefined> => {
  if (by === 'nothing' || by === 'token') return undefined;
  const { alias, actorId, otherId } = world;
  const target = by === 'nonce of the alias' ? { alias } : { actorId: by === 'nonce of the actor' ? actorId : otherId };
  return world.nonce(level, target);
};

/** Guards that concern no resource of the path. All other guards concern one resource. */
const unguarded: ReadonlySet<string> = new Set(['public', 'caller', 'basic-or-caller', 'admin']);

const publicOperations = [
  ...['health.show', 'openapi.show', 'docs.show', 'metadata.show', 'tenants.list'],
  ...['authorize.show', 'authorize.login', 'authorize.consent', 'authorize.logout', 'authorize.link'],
  ...['token.create', 'token.revoke', 'token.introspect'],
];

/** Operations that send a message, or act inside an execution, need EXECUTE. */
const executing: ReadonlySet<string> = new Set(['messages.send', 'executions.rerun', 'results.post']);

describe('the guards of the contract', () => {
  const all: readonly Operation[] = Object.values(operations);

  it('R120 are public exactly for the operations that must work without a token', () => {
    expect(all.filter(({ guard }) => guard === 'public').map(({ id }) => id)).toEqual(
      expect.arrayContaining(publicOperations),
    );
    expect(all.filter(({ guard }) => guard === 'public')).toHaveLength(publicOperations.length);
  });

  it('R122 protect every actor, alias and config of a path', () => {
    const things: readonly (readonly [parameter: string, kinds: readonly string[]])[] = [
      ['actorId', ['actor']],
      ['alias', ['alias', 'alias+actor']],
      ['configName', ['config']],
    ];
    for (const { id, path, guard } of all) {
      const kinds = things.filter(([name]) => parameterNames(path).includes(name)).flatMap(([, each]) => each);
      expect(kinds.length > 0 ? kinds : [...unguarded], id).toContain(guard.split(':')[0]);
    }
  });

  it('R122 require READ to read, EXECUTE to send a message, and UPDATE for any other change', () => {
    for (const { id, method, guard } of all.filter((operation) => !unguarded.has(operation.guard))) {
      const level = method === 'GET' ? 'READ' : executing.has(id) ? 'EXECUTE' : 'UPDATE';
      expect(guard.split(':')[1], id).toBe(level);
    }
  });
});

describe('the permission matrix', () => {
  let service: ActorService;
  beforeAll(async () => {
    service = await startActorService();
  });
  afterAll(() => service.close());

  /** Reading changes nothing, so reads of callers with the same permissions share their resources. */
  const shared = new Map<string, Promise<MatrixWorld>>();
  const worldFor = ({ method }: Operation, { entries = {} }: Asker): Promise<MatrixWorld> => {
    if (method !== 'GET') return putWorld(service, entries);
    const key = JSON.stringify(entries);
    const world = shared.get(key) ?? putWorld(service, entries);
    shared.set(key, world);
    return world;
  };

  const send = async (
    operation: Operation,
    asker: Asker,
    { query, send }: Case,
    ask: ActorService['ask'] = service.ask,
  ): Promise<Answer> => {
    const world = await worldFor(operation, asker);
    const secret = await secretOf(asker, world);
    const parameters = [query?.(world) ?? '', secret === undefined ? '' : `x-nonce=${secret}`].filter(Boolean);
    const path = `${pathOf(operation, asker, world)}${parameters.length > 0 ? '?' : ''}${parameters.join('&')}`;
    service.advance(LATER_MS);
    return ask(asker.by === 'token' ? asker.name : undefined, operation.method, path, send?.(world));
  };

  const ids = Object.keys(operations) as OperationId[];

  it('has a case for every operation and for no other', () => {
    expect(Object.keys(cases).toSorted()).toEqual(ids.toSorted());
  });

  describe.each(ids)('%s', (id) => {
    const operation: Operation = operations[id];
    const sent: Case = cases[id];
    const rows = Object.entries(askers).map(([who, asker]) => ({
      who,
      asker,
      status: expected(asker, operation, sent),
    }));

    it.each(rows)('R122 answers $status to $who', async ({ asker, status }) => {
      const answer = await send(operation, asker, sent);
      expect(answer.status, answer.text).toBe(status);
      if (status === 401) expect(answer.headers['www-authenticate']).toBeDefined();
    });
  });

  /** A caller of each kind of refusal, and some that pass. */
  const some = [
    'the owner',
    'a user with the permission READ',
    'a user without a permission',
    'an admin without a permission',
    'a nonce of the actor, of level READ',
    'an admin of another tenant',
    'a caller without a credential',
  ];

  // Only requests that change nothing, so that they share their resources.
  it.each(ids)('R122 lets the same callers call %s at the https listener', async (id) => {
    const operation: Operation = operations[id];
    for (const who of some) {
      const asker = askers[who];
      const status = asker && expected(asker, operation, cases[id]);
      if (asker === undefined || status === undefined || (status === OK && operation.method !== 'GET')) continue;
      const answer = await send(operation, asker, cases[id], service.askLegacy);
      const same = status === 403 || status === 409 ? [400] : status === 404 ? [404, 400] : [status];
      expect(same, `${who}: ${answer.text}`).toContain(answer.status);
    }
  });
});
