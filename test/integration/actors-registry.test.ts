// Registering, showing, updating and deleting actors over HTTP, for the right people only.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registry } from '../../daemon/actors/registry/service.ts';
import { createVault } from '../../daemon/vault/vault.ts';
import { type ActorService, startActorService } from '../support/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

const failed = (code: string, text?: RegExp) => ({
  headers: { 'x-failure-code': code },
  json: { status: 'error', result: null, version: '1.9.1', message: expect.stringMatching(text ?? /./) },
});

describe('actors.create', () => {
  it('answers the whole record with defaults, absolute links and the envelope (R121)', async () => {
    const answer = await service.ask('ana', 'POST', '/actors/v2', { form: { image: 'alpine:3.20', name: 'n' } });
    const { id } = answer.result;
    expect(answer.status).toBe(200);
    expect(id).toMatch(/^[A-Za-z][A-Za-z0-9]{12}$/);
    expect(answer.json).toEqual({
      status: 'success',
      message: 'Actor created.',
      version: '1.9.1',
      result: {
        id,
        name: 'n',
        description: '',
        image: 'alpine:3.20',
        owner: 'ana',
        status: 'SUBMITTED',
        statusMessage: '',
        stateless: true,
        default_environment: {},
        hints: [],
        type: 'none',
        link: '',
        webhook: '',
        queue: 'default',
        token: false,
        privileged: false,
        useContainerUid: false,
        cronOn: false,
        mounts: [],
        state: {},
        revision: 1,
        createTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        lastUpdateTime: answer.result['createTime'],
        _links: {
          self: `${service.baseUrl}/actors/v2/${id}`,
          owner: `${service.baseUrl}/profiles/v2/ana`,
          executions: `${service.baseUrl}/actors/v2/${id}/executions`,
        },
      },
    });
    expect(service.engine.told).toContain(`actorChanged:${id}`);
  });

  it('takes JSON in both spellings, and says which fields it ignored', async () => {
    const json = { image: 'a', defaultEnvironment: { A: '1' }, log_ex: 60, maxRunTime: 5, hints: ['x'], surprise: 1 };
    const answer = await service.ask('ana', 'POST', '/actors/v2', { json });
    expect(answer.result).toMatchObject({ default_environment: { A: '1' }, logEx: 60, maxRunTime: 5, hints: ['x'] });
    expect(answer.json).toMatchObject({ message: expect.stringContaining('surprise') });
  });

  it('gives privileged fields to the privileged', async () => {
    const json = { image: 'a', maxWorkers: 2, memLimit: '1g', maxCpus: 1e9, privileged: true, queue: 'special' };
    expect(await service.ask('ana', 'POST', '/actors/v2', { json })).toMatchObject({
      status: 403,
      ...failed('FORBIDDEN', /maxWorkers/),
    });
    expect((await service.ask('priv', 'POST', '/actors/v2', { json })).result).toMatchObject(json);
  });

  it('gives folders of the machine to admins only', async () => {
    const json = { image: 'file:///srv/actor' };
    expect(await service.ask('priv', 'POST', '/actors/v2', { json })).toMatchObject({
      status: 403,
      ...failed('FORBIDDEN'),
    });
    expect((await service.ask('admin', 'POST', '/actors/v2', { json })).status).toBe(200);
  });

  for (const [name, asked, text] of [
    ['a missing image', { json: {} }, /image/],
    ['an empty form', { form: {} }, /image/],
    ['an image that is none', { json: { image: '--privileged' } }, /image/],
    ['a bad boolean', { form: { image: 'a', stateless: 'abcd' } }, /stateless/],
    [
      'a variable named __proto__',
      { json: { image: 'a', default_environment: JSON.parse('{"__proto__":"x","A":"1"}') } },
      /default_environment/,
    ],
    ['a bad name of a variable', { json: { image: 'a', default_environment: { '1A': 'x' } } }, /default_environment/],
    ['a variable of the platform', { json: { image: 'a', defaultEnvironment: { MSG: 'x' } } }, /MSG/],
    ['a bad hint', { json: { image: 'a', hints: ['{'] } }, /hints/],
    ['a bad queue', { json: { image: 'a', queue: 'nope' } }, /queue/],
    [
      'workers of a stateful actor',
      { json: { image: 'a', stateless: false, maxWorkers: 1 } },
      /stateful actors can only have 1 worker/,
    ],
    ['a list', { json: [] }, /JSON object/],
  ] as const) {
    it(`refuses ${name} with 400`, async () => {
      expect(await service.ask('admin', 'POST', '/actors/v2', asked)).toMatchObject({
        status: 400,
        ...failed('VALIDATION', text),
      });
    });
  }

  it('refuses malformed JSON with 400', async () => {
    const asked = { body: '{"image": ', headers: { 'content-type': 'application/json' } };
    expect(await service.ask('ana', 'POST', '/actors/v2', asked)).toMatchObject({
      status: 400,
      ...failed('MALFORMED_BODY'),
    });
  });
});

describe('the token of a running execution', () => {
  it('name what they refuse as it was sent, whichever rule refuses it', async () => {
    const messageOf = async (json: unknown) => {
      const { status, json: envelope } = await service.ask('admin', 'POST', '/actors/v2', { json });
      return [status, (envelope as { message: string }).message];
    };
    const stateful = { image: 'alpine', stateless: false };
    expect(await messageOf({ ...stateful, max_workers: 2 })).toEqual([
      400,
      'max_workers cannot be set: stateful actors can only have 1 worker',
    ]);
    expect(await messageOf({ ...stateful, maxWorkers: 2 })).toEqual([400, expect.stringMatching(/^maxWorkers cannot/)]);
    expect(await messageOf({ image: 'alpine', defaultEnvironment: { _svc_x: '1' } })).toEqual([
      400,
      expect.stringMatching(/^defaultEnvironment must not set _svc_x/),
    ]);
  });

  it('R154 a container can neither lift its fence nor start a process here, whoever owns it', async () => {
    const [actorId, token] = [await service.actor('admin'), 'token-of-a-running-execution'];
    const executionId = await service.message('admin', actorId);
    const others = await service.actor('ana');
    await service.store.transact((tx) => {
      const execution = tx.get('executions', executionId);
      const own = tx.by('tokens', 'client', 'client-admin')[0];
      if (execution === undefined || own === undefined) throw new Error('nothing to run');
      tx.put('executions', { ...execution, status: 'RUNNING' });
      tx.put('tokens', { ...own, hash: createVault().digest(token), clientId: '', flow: 'execution', executionId });
    });
    const inside = async (method: string, path: string, json?: unknown) =>
      (await service.ask(undefined, method, path, { json, headers: { authorization: `Bearer ${token}` } })).status;
    for (const json of [{ image: 'file:///srv/actor' }, { image: 'alpine', privileged: true }]) {
      expect(await inside('POST', '/actors/v2', json)).toBe(403);
      expect(await inside('PUT', `/actors/v2/${actorId}`, json)).toBe(403);
      expect((await service.ask('admin', 'POST', '/actors/v2', { json })).status).toBe(200);
    }
    expect(await inside('PUT', `/actors/v2/${actorId}`, { image: 'busybox' })).toBe(200);
    // The owner passes every check of the tenant by role; what the owner's actor runs does not.
    expect((await service.ask('admin', 'GET', `/actors/v2/${others}`)).status).toBe(200);
    expect(await inside('GET', `/actors/v2/${others}`)).toBe(404);
  });
});

describe('actors.list and actors.show', () => {
  it('R122 show a caller the own and the shared actors, and an admin no more in lists', async () => {
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

  it('R123 tenants see nothing of each other, admins included', async () => {
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

  it('R120 say nothing about existence without a token', async () => {
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

describe('actors.update', () => {
  it('replaces the description, keeps what stays, and counts revisions', async () => {
    const id = await service.actor('ana', { name: 'n', description: 'd', hints: ['h'], token: true });
    const same = await service.ask('ana', 'PUT', `/actors/v2/${id}`, { json: { image: 'alpine' } });
    expect(same.result).toMatchObject({ id, name: 'n', description: '', hints: [], token: false, revision: 1 });
    const next = await service.ask('ana', 'PUT', `/actors/v2/${id}`, { form: { image: 'busybox', description: 'e' } });
    expect(next.result).toMatchObject({ image: 'busybox', description: 'e', revision: 2, status: 'SUBMITTED' });
    const forced = await service.ask('ana', 'PUT', `/actors/v2/${id}`, { form: { image: 'busybox', force: 'true' } });
    expect(forced.result).toMatchObject({ revision: 3 });
    expect(service.engine.told.filter((what) => what === `actorChanged:${id}`)).toHaveLength(3);
  });

  it('refuses what a registration refuses, and a change of stateless', async () => {
    const id = await service.actor('ana', { stateless: false });
    const put = (json: unknown) => service.ask('ana', 'PUT', `/actors/v2/${id}`, { json });
    expect(await put({})).toMatchObject({ status: 400, ...failed('VALIDATION', /image/) });
    expect(await put({ image: 'alpine', stateless: true })).toMatchObject({
      status: 400,
      ...failed('VALIDATION', /stateless/),
    });
    expect(await put({ image: 'alpine', privileged: true })).toMatchObject({
      status: 403,
      ...failed('FORBIDDEN', /privileged/),
    });
    expect((await put({ image: 'alpine' })).result).toMatchObject({ stateless: false });
  });
});

describe('actors.delete', () => {
  it('removes the actor and all that is its own, and a second time finds nothing', async () => {
    const id = await service.actor('ana');
    const execution = await service.message('ana', id, 'x'.repeat(100_000));
    const log = service.logs.open(execution);
    log.write('stdout', Buffer.from('text'));
    await log.close();
    expect(await service.ask('ana', 'DELETE', `/actors/v2/${id}`)).toMatchObject({
      status: 200,
      json: { result: null },
    });
    expect(service.engine.told).toContain(`retire:${id}`);
    expect(service.store.get('actors', id)).toBeUndefined();
    for (const collection of ['messages', 'executions', 'workers'] as const) {
      expect(service.store.by(collection, 'actor', id)).toEqual([]);
    }
    expect(await service.logs.read(execution)).toBe('');
    expect(readdirSync(join(service.folder, 'bodies'))).toEqual([]);
    expect((await service.ask('ana', 'DELETE', `/actors/v2/${id}`)).status).toBe(404);
  });

  it('refuses while an execution runs, unless forced', async () => {
    const id = await service.actor('ana');
    const execution = await service.message('ana', id);
    await service.engine.start(execution, 1);
    expect(await service.ask('ana', 'DELETE', `/actors/v2/${id}`)).toMatchObject({
      status: 409,
      ...failed('ACTOR_BUSY', /force/),
    });
    expect(service.store.get('actors', id)?.status).toBe('SUBMITTED');
    expect((await service.ask('ana', 'DELETE', `/actors/v2/${id}?force=true`)).status).toBe(200);
    expect(service.store.get('executions', execution)).toBeUndefined();
  });

  it('that was cut short is finished at the next start; meanwhile the actor takes neither messages nor updates', async () => {
    const id = await service.actor('ana');
    await service.store.transact((tx) => {
      const actor = tx.get('actors', id);
      if (actor) tx.put('actors', { ...actor, status: 'SHUTTING_DOWN' });
    });
    const sent = await service.ask('ana', 'POST', `/actors/v2/${id}/messages?message=x`);
    expect(sent).toMatchObject({ status: 409, ...failed('ACTOR_BUSY') });
    const put = await service.ask('ana', 'PUT', `/actors/v2/${id}`, { json: { image: 'alpine', force: true } });
    expect(put).toMatchObject({ status: 409, ...failed('ACTOR_BUSY') });
    await registry(service.dependencies).resumeRemovals();
    expect((await service.ask('ana', 'GET', `/actors/v2/${id}`)).status).toBe(404);
  });
});

describe('workers.list', () => {
  it('shows the workers of the actor', async () => {
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
