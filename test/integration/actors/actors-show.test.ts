// Listing and showing actors and workers over HTTP, and the permissions for it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, failed, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

describe('actors.list and actors.show', () => {
  it('with details count all executions of each actor, including deleted ones', async () => {
    const [ran, idle] = [await service.actor('ana'), await service.actor('ana')];
    const first = await service.message('ana', ran);
    const second = await service.message('ana', ran);
    await service.scheduler.start(first, 1_000);
    await service.scheduler.start(second, 2_000);
    const tenant = service.store.get('actors', ran)?.tenant ?? '';
    const gone = { executions: 40, runtimeMs: 0, cpu: 0, io: 0, actors: 0, actorsWithExecutions: 0 };
    await service.store.transact((tx) => tx.put('totals', { tenant, actorId: ran, ...gone }));
    for (const [alias, as] of [
      ['ready', 'ana'],
      ['hidden', 'priv'],
    ] as const) {
      await service.store.transact((tx) =>
        tx.put('aliases', {
          tenant,
          alias,
          actorId: ran,
          owner: as,
          permissions: { [as]: 'UPDATE' },
          createdAt: 0,
          updatedAt: 0,
        }),
      );
    }
    const listed = async (query: string) => {
      const { json } = await service.ask('ana', 'GET', `/actors/v2${query}`);
      return (json as { result: { id: string }[] }).result.filter(({ id }) => id === ran || id === idle);
    };
    const [busy, never] = await listed('?details=true');
    expect(busy).toMatchObject({
      aliases: ['ready'],
      totalExecutions: 42,
      lastExecutionTime: '1970-01-01T00:00:02.000Z',
    });
    expect(never).toMatchObject({ aliases: [], totalExecutions: 0 });
    expect(never).not.toHaveProperty('lastExecutionTime');
    for (const actor of await listed('?details=false')) expect(actor).not.toHaveProperty('totalExecutions');
  });

  it('R122 show a caller own and shared actors, and admins see no others in lists', async () => {
    const mine = await service.actor('ana');
    const shared = await service.actor('bob');
    const open = await service.actor('bob');
    const hidden = await service.actor('bob');
    await service.store.transact((tx) => {
      const share = (id: string, permissions: Record<string, 'READ' | 'NONE'>) => {
        const actor = tx.get('actors', id);
        if (actor) tx.put('actors', { ...actor, permissions: { ...actor.permissions, ...permissions } });
      };
      share(shared, { ana: 'READ' });
      share(open, { ABACO_WORLD: 'READ' });
      share(hidden, { ana: 'NONE' });
    });
    const idsFor = async (as: 'ana' | 'admin' | 'otherAna') =>
      ((await service.ask(as, 'GET', '/actors/v2')).json as { result: { id: string }[] }).result.map(({ id }) => id);
    expect(await idsFor('ana')).toEqual(expect.arrayContaining([mine, shared, open]));
    expect(await idsFor('ana')).not.toContain(hidden);
    expect(await idsFor('admin')).not.toContain(mine);
    expect(await idsFor('admin')).toContain(open);
    expect((await service.ask('admin', 'GET', `/actors/v2/${mine}`)).status).toBe(200);
    expect((await service.ask('ana', 'GET', `/actors/v2/${shared}`)).result).toMatchObject({
      id: shared,
      owner: 'bob',
    });
    expect(await service.ask('ana', 'GET', `/actors/v2/${hidden}`)).toMatchObject({
      status: 404,
      ...failed('NOT_FOUND'),
    });
    expect(await service.ask('ana', 'DELETE', `/actors/v2/${shared}`)).toMatchObject({
      status: 403,
      ...failed('FORBIDDEN', /you do not have access to this actor/),
    });
    expect(await service.ask('ana', 'POST', `/actors/v2/${shared}/messages`, { form: { message: 'x' } })).toMatchObject(
      {
        status: 403,
      },
    );
  });

  it('R123 show nothing of another tenant, not even to admins', async () => {
    const id = await service.actor('ana');
    const execution = await service.message('ana', id);
    for (const as of ['otherAna', 'otherAdmin'] as const) {
      expect((await service.ask(as, 'GET', '/actors/v2')).json).toMatchObject({ result: [] });
      for (const [method, path] of [
        ['GET', ''],
        ['PUT', ''],
        ['DELETE', ''],
        ['GET', '/messages'],
        ['POST', '/messages?message=x'],
        ['DELETE', '/messages'],
        ['GET', '/executions'],
        ['GET', `/executions/${execution}`],
        ['DELETE', `/executions/${execution}`],
        ['GET', `/executions/${execution}/logs`],
        ['GET', '/workers'],
      ] as const) {
        const json = method === 'PUT' ? { json: { image: 'evil' } } : {};
        expect(await service.ask(as, method, `/actors/v2/${id}${path}`, json)).toMatchObject({
          status: 404,
          ...failed('NOT_FOUND'),
        });
      }
    }
    expect((await service.ask('ana', 'GET', `/actors/v2/${id}/messages`)).result).toMatchObject({ messages: 1 });
  });

  it('R120 do not reveal without a token whether an actor exists', async () => {
    const id = await service.actor('ana');
    for (const path of ['', `/${id}`, '/nobody', `/${id}/executions/x/logs`, `/${id}/workers`]) {
      const answer = await service.ask(undefined, 'GET', `/actors/v2${path}`);
      expect(answer).toMatchObject({ status: 401, ...failed('AUTH_REQUIRED') });
      expect(answer.headers['www-authenticate']).toContain('Bearer');
    }
  });

  it('R125 R131 answer 404 to every hostile name, never 500', async () => {
    const id = await service.actor('ana');
    for (const name of [
      '__proto__',
      'constructor',
      'toString',
      '..',
      '.',
      '%2e%2e',
      '..%2f..%2fetc%2fpasswd',
      '%00',
      '%0a',
      'a%2Fb',
      '%F0%9F%98%80',
      '%C3%A4',
      "';--",
      '%20',
      'x'.repeat(5_000),
    ]) {
      for (const path of [
        `/actors/v2/${name}/messages`,
        `/actors/v2/${id}/executions/${name}/logs`,
        `/actors/v2/${id}/executions/${name}`,
      ]) {
        const answer = await service.ask('ana', 'GET', path);
        expect([path, answer.status]).toEqual([path, 404]);
        expect(answer.json).toMatchObject({ status: 'error', result: null });
      }
    }
    expect((await service.ask('ana', 'GET', '/actors/v2/%zz')).status).toBe(400);
    expect(service.complaints).toEqual([]);
  });
});

describe('workers.list', () => {
  it('lists the workers of the actor', async () => {
    const id = await service.actor('ana');
    expect((await service.ask('ana', 'GET', `/actors/v2/${id}/workers`)).json).toMatchObject({ result: [] });
    await service.store.transact((tx) =>
      tx.put('workers', {
        id: 'W1',
        actorId: id,
        tenant: 'DEV',
        status: 'READY',
        image: 'alpine',
        revision: 1,
        createdAt: 0,
      }),
    );
    expect((await service.ask('ana', 'GET', `/actors/v2/${id}/workers`)).json).toMatchObject({
      result: [
        {
          id: 'W1',
          actorId: id,
          tenant: 'DEV',
          status: 'READY',
          image: 'alpine',
          createTime: '1970-01-01T00:00:00.000Z',
        },
      ],
    });
  });
});
