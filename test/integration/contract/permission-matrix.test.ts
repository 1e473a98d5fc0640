// The permission matrix: every operation of the contract for every kind of caller, with the status that the rules below
// predict. It is over 250 lines because the rules and their tests belong together.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Operation, parameterNames } from '../../../src/contract/operation.ts';
import { type ServiceOperationId, serviceOperations } from '../../../src/contract/operations.ts';
import { type Asker, askers, expected, legacyAskers, legacyStatus } from '../../support/contract/matrix-askers.ts';
import { type Case, cases } from '../../support/contract/matrix-cases.ts';
import { type MatrixWorld, putWorld } from '../../support/contract/matrix-world.ts';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';
import type { Answer } from '../../support/service/call.ts';

/** A time after which wrong nonces are forgotten, so that no request is throttled. */
const LATER_MS = 10 * 60_000;

const pathOf = ({ id, path }: Operation, { by }: Asker, world: MatrixWorld): string => {
  const { nonce: _, ...names } = world;
  const named: Readonly<Record<string, string>> = {
    ...names,
    actorId: by === 'nonce of the alias' ? world.alias : world.actorId,
    nonceId: id.startsWith('alias-') ? world.aliasNonceId : world.nonceId,
    loginId: id === 'logins.endOfUser' ? world.userLoginId : world.loginId,
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
const unguarded: ReadonlySet<string> = new Set([
  ...['public', 'caller', 'basic-or-caller', 'admin'],
  ...['owner-or-caller', 'owner-or-admin'],
]);

const publicOperations = [
  ...['health.show', 'openapi.show', 'docs.show', 'metadata.show', 'tenants.list'],
  ...['authorize.show', 'authorize.login', 'authorize.consent', 'authorize.logout', 'authorize.link'],
  ...['token.create', 'token.revoke', 'token.introspect'],
];

/** Operations that send a message, or act inside an execution, need EXECUTE. */
const executing: ReadonlySet<string> = new Set(['messages.send', 'executions.rerun', 'results.post']);

describe('the guards of the contract', () => {
  const all: readonly Operation[] = Object.values(serviceOperations);

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
  /** Reads have a service with few records: several of them look at every record, and each change adds a set of them. */
  let [reading, changing]: ActorService[] = [];
  beforeAll(async () => {
    [reading, changing] = [await startActorService(), await startActorService()];
  });
  afterAll(async () => {
    await reading?.close();
    await changing?.close();
  });
  const serviceOf = ({ method }: Operation): ActorService => {
    const service = method === 'GET' ? reading : changing;
    if (service === undefined) throw new Error('the services have not started');
    return service;
  };

  /** Reading changes nothing, so reads of callers with the same permissions share their resources. */
  const shared = new Map<string, Promise<MatrixWorld>>();
  const worldFor = (operation: Operation, { entries = {} }: Asker): Promise<MatrixWorld> => {
    const service = serviceOf(operation);
    if (operation.method !== 'GET') return putWorld(service, entries);
    const key = JSON.stringify(entries);
    const world = shared.get(key) ?? putWorld(service, entries);
    shared.set(key, world);
    return world;
  };

  const send = async (
    operation: Operation,
    asker: Asker,
    { query, send }: Case,
    listener: 'ask' | 'askLegacy' = 'ask',
  ): Promise<Answer> => {
    const service = serviceOf(operation);
    const world = await worldFor(operation, asker);
    const secret = await secretOf(asker, world);
    const parameters = [query?.(world) ?? '', secret === undefined ? '' : `x-nonce=${secret}`].filter(Boolean);
    const path = `${pathOf(operation, asker, world)}${parameters.length > 0 ? '?' : ''}${parameters.join('&')}`;
    service.advance(LATER_MS);
    return service[listener](asker.by === 'token' ? asker.name : undefined, operation.method, path, send?.(world));
  };

  const ids = Object.keys(serviceOperations) as ServiceOperationId[];

  it('has a case for every operation, and no other cases', () => {
    expect(Object.keys(cases).toSorted()).toEqual(ids.toSorted());
  });

  describe.each(ids)('%s', (id) => {
    const operation: Operation = serviceOperations[id];
    const sent: Case = cases[id];
    const rows = Object.entries(askers).map(([who, asker]) => ({
      who,
      asker,
      status: expected(asker, operation, sent),
    }));

    it('R122 gives every caller the status that the rules define', async () => {
      const wrong: string[] = [];
      for (const { who, asker, status } of rows) {
        const answer = await send(operation, asker, sent);
        const lacks = status === 401 && answer.headers['www-authenticate'] === undefined;
        if (answer.status !== status) wrong.push(`${who}: ${answer.status} instead of ${status}: ${answer.text}`);
        else if (lacks) wrong.push(`${who}: 401 without WWW-Authenticate`);
      }
      expect(wrong).toEqual([]);
    });

    it('R122 applies the same rules on the listener for programs of the hosted platform', async () => {
      const wrong: string[] = [];
      for (const { who, asker } of rows.filter((row) => legacyAskers.has(row.who))) {
        const answer = await send(operation, asker, sent, 'askLegacy');
        const status = legacyStatus(asker, operation, sent);
        if (answer.status !== status) wrong.push(`${who}: ${answer.status} instead of ${status}: ${answer.text}`);
      }
      expect(wrong).toEqual([]);
    });
  });
});
