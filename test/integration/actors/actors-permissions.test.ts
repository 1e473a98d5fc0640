// Permissions over HTTP: the same three operations for actors, aliases and configs.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { nameKey } from '../../../daemon/domain/records/resource-records.ts';
import { levels } from '../../../src/contract/operation.ts';
import { failed, type Name } from '../../support/service/actor-service.ts';
import { startAliasWorld } from '../../support/service/alias-world.ts';

const { service, made, fresh, record } = await startAliasWorld();
afterAll(() => service.close());

const putConfig = async (): Promise<string> => {
  const name = fresh();
  await service.store.transact((tx) =>
    tx.put('configs', {
      tenant: 'DEV',
      name,
      value: '1',
      isSecret: false,
      actors: '',
      revision: 1,
      owner: 'ana',
      permissions: { ana: 'UPDATE' },
      createdAt: 1,
      updatedAt: 1,
    }),
  );
  return name;
};

type Kind = 'actor' | 'alias' | 'config';

/** Creates a resource of ana. Returns its path and a function that reads its permissions from the store. */
const thingOf = {
  actor: async () => {
    const id = await service.actor('ana');
    return { at: `/actors/v2/${id}`, stored: () => service.store.get('actors', id)?.permissions };
  },
  alias: async () => {
    const { alias } = await made();
    return { at: `/actors/v2/aliases/${alias}`, stored: () => record(alias)?.permissions };
  },
  config: async () => {
    const name = await putConfig();
    const stored = () => service.store.get('configs', nameKey('DEV', name))?.permissions;
    return { at: `/actors/v2/configs/${name}`, stored };
  },
} satisfies Record<Kind, unknown>;

describe.each(['actor', 'alias', 'config'] as const)('permissions of an %s', (kind) => {
  let at: string;
  let stored: () => unknown;
  beforeEach(async () => {
    ({ at, stored } = await thingOf[kind]());
  });
  const list = (as: Name | undefined) => service.ask(as, 'GET', `${at}/permissions`);
  const grant = (as: Name, user: unknown, level: unknown) =>
    service.ask(as, 'POST', `${at}/permissions`, { json: { user, level } });
  const can = (as: Name, user: string, level: string) =>
    service.ask(as, 'GET', `${at}/permissions/${user}?level=${level}`);

  it('map users to levels, change one entry at a time, and keep a revoked user with NONE', async () => {
    expect((await list('ana')).json).toMatchObject({ status: 'success', result: { ana: 'UPDATE' } });
    expect((await grant('ana', 'bob', 'READ')).result).toEqual({ ana: 'UPDATE', bob: 'READ' });
    const fields = { user: 'bob', level: 'EXECUTE' };
    // Requests about configs are JSON only.
    const sent = at.includes('/configs/') ? { json: fields } : { form: fields };
    expect((await service.ask('ana', 'POST', `${at}/permissions`, sent)).result).toEqual({
      ana: 'UPDATE',
      bob: 'EXECUTE',
    });
    expect((await grant('ana', 'ABACO_WORLD', 'READ')).result).toMatchObject({ ABACO_WORLD: 'READ' });
    expect((await grant('ana', 'bob', 'NONE')).result).toEqual({ ana: 'UPDATE', bob: 'NONE', ABACO_WORLD: 'READ' });
    expect((await list('bob')).result).toEqual(stored());
  });

  it('R122 allow requests up to their level and no further', async () => {
    const seen = async () => [
      (await list('bob')).status,
      (await grant('bob', 'priv', 'READ')).status,
      (await can('bob', 'bob', 'READ')).status,
    ];
    const expected = {
      NONE: [404, 404, 404],
      READ: [200, 403, 200],
      EXECUTE: [200, 403, 200],
      UPDATE: [200, 200, 200],
    };
    for (const level of levels) {
      expect((await grant('ana', 'bob', level)).status).toBe(200);
      expect([level, await seen()]).toEqual([level, expected[level]]);
    }
    await grant('ana', 'bob', 'NONE');
    for (const level of levels) {
      expect((await grant('ana', 'ABACO_WORLD', level)).status).toBe(200);
      expect([level, await seen()]).toEqual([level, expected[level]]);
    }
  });

  it('R122 can be read and changed by an admin except for configs, and never by another tenant', async () => {
    const status = kind === 'config' ? 404 : 200;
    expect((await list('admin')).status).toBe(status);
    expect((await grant('admin', 'bob', 'READ')).status).toBe(status);
    await grant('ana', 'ABACO_WORLD', 'UPDATE');
    for (const as of ['otherAna', 'otherAdmin'] as const) {
      expect(await list(as)).toMatchObject({ status: 404, ...failed('NOT_FOUND') });
      expect(await grant(as, 'ana', 'UPDATE')).toMatchObject({ status: 404 });
    }
  });

  it('R120 reveal nothing without a token', async () => {
    expect(await list(undefined)).toMatchObject({ status: 401, ...failed('AUTH_REQUIRED') });
  });

  it('always keep one holder of UPDATE', async () => {
    for (const level of ['NONE', 'READ', 'EXECUTE']) {
      expect(await grant('ana', 'ana', level)).toMatchObject({
        status: 409,
        ...failed('LAST_HOLDER', /last holder of UPDATE.*Give UPDATE to another user first/),
      });
    }
    await grant('ana', 'nobody-yet', 'UPDATE');
    expect((await grant('ana', 'ana', 'NONE')).status).toBe(409);
    await grant('ana', 'bob', 'UPDATE');
    expect((await grant('ana', 'ana', 'NONE')).status).toBe(200);
    expect((await list('ana')).status).toBe(404);
    expect(await grant('bob', 'bob', 'NONE')).toMatchObject({ status: 409, ...failed('LAST_HOLDER') });
  });

  it('keep one holder when two users revoke UPDATE from each other at once', async () => {
    await grant('ana', 'bob', 'UPDATE');
    const both = await Promise.all([grant('ana', 'bob', 'NONE'), grant('bob', 'ana', 'NONE')]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(Object.values(stored() as Record<string, string>).toSorted()).toEqual(['NONE', 'UPDATE']);
  });

  it('R125 R131 refuse invalid levels and impossible user names', async () => {
    for (const level of ['WRITE', 'read', '', 5, null, '__proto__', ['READ']]) {
      expect(await grant('ana', 'bob', level)).toMatchObject({ status: 400, ...failed('VALIDATION', /^level /) });
    }
    const names = ['', 'me', '__proto__', 'constructor', 'abaco_world', 'a/b', 'a b', '😀', 'a\u0000', 'x'.repeat(129)];
    for (const user of [...names, null, { a: 1 }]) {
      expect(await grant('ana', user, 'READ')).toMatchObject({ status: 400, ...failed('VALIDATION', /^user /) });
    }
    expect(stored()).toEqual({ ana: 'UPDATE' });
  });

  it('can be explained: whether a user has a level, by which rule, and why', async () => {
    await grant('ana', 'bob', 'READ');
    expect((await can('bob', 'bob', 'UPDATE')).result).toMatchObject({
      user: 'bob',
      allowed: false,
      has: 'READ',
      needs: 'UPDATE',
      by: 'entry',
      why: expect.stringMatching(new RegExp(`^bob has READ on ${kind} \\S+; UPDATE is needed\\.$`)),
    });
    expect((await can('ana', 'ana', 'UPDATE')).result).toMatchObject({ allowed: true, by: 'entry' });
    expect((await can('ana', 'root', 'UPDATE')).result).toMatchObject(
      kind === 'config' ? { allowed: false, has: 'NONE', by: 'nothing' } : { allowed: true, by: 'role' },
    );
    expect((await can('ana', 'nobody', 'NONE')).result).toMatchObject({ allowed: false, by: 'nobody' });
    expect((await can('ana', 'priv', 'EXECUTE')).result).toMatchObject({ allowed: false, has: 'NONE' });
    await grant('ana', 'ABACO_WORLD', 'EXECUTE');
    expect((await can('ana', 'priv', 'EXECUTE')).result).toMatchObject({ allowed: true, by: 'world' });
    expect(await can('ana', 'priv', 'ALL')).toMatchObject({ status: 400, ...failed('VALIDATION', /^level /) });
    expect((await service.ask('ana', 'GET', `${at}/permissions/bob`)).result).toMatchObject({ needs: 'READ' });
  });

  it('are not rewritten by a grant that changes nothing', async () => {
    await grant('ana', 'bob', 'READ');
    const before = stored();
    await grant('ana', 'bob', 'READ');
    expect(stored()).toBe(before);
  });
});

describe('permissions of an alias and of its actor', () => {
  it('are separate: an alias in place of an id means the actor', async () => {
    const { alias, actorId } = await made();
    const grant = { json: { user: 'bob', level: 'READ' } };
    await service.ask('ana', 'POST', `/actors/v2/${alias}/permissions`, grant);
    expect(service.store.get('actors', actorId)?.permissions).toEqual({ ana: 'UPDATE', bob: 'READ' });
    expect(record(alias)?.permissions).toEqual({ ana: 'UPDATE' });
  });
});
