// The token of a running execution: what it may do, by the description of its actor. It never has a role.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceOperations } from '../../../src/contract/operations.ts';
import { type RunningExecution, runningExecution } from '../../support/scenarios/resources.ts';
import { type ActorService, failed, startActorService } from '../../support/service/actor-service.ts';
import { adminToken, type Platform, startPlatform } from '../../support/service/platform.ts';

const TOKEN = 'token-of-a-running-execution';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
  await platform.store.transact((tx) => {
    tx.put('executions', {
      id: 'X000000000001',
      actorId: 'A000000000001',
      tenant: 'DEV',
      sequence: 1,
      executor: 'admin',
      status: 'RUNNING',
      receivedAt: 0,
    });
    tx.put('tokens', {
      hash: platform.vault.digest(TOKEN),
      kind: 'access',
      tenant: 'DEV',
      username: 'admin',
      clientId: '',
      scope: 'PRODUCTION',
      grantId: 'X000000000001',
      flow: 'execution',
      issuedAt: 0,
      executionId: 'X000000000001',
    });
  });
});
afterAll(() => platform.close());

const inside = { authorization: `Bearer ${TOKEN}` };

describe('the token of an execution of an admin', () => {
  it('R154 C23 identifies the owner, and is refused by every route that needs a role', async () => {
    expect((await platform.ask('GET', '/profiles/v2/me', { headers: inside })).result['username']).toBe('admin');
    const json = { username: 'backdoor', password: 'a long password', roles: ['admin'] };
    expect((await platform.ask('POST', '/users/v2', { headers: inside, json })).status).toBe(403);
    expect((await platform.ask('GET', '/users/v2', { headers: inside })).status).toBe(403);
    expect((await platform.ask('GET', '/users/v2', { headers: await adminToken(platform) })).text).not.toContain(
      'backdoor',
    );
  });

  it('R154 C23 cannot register a client, whose credentials would outlive the execution', async () => {
    const refused = await platform.ask('POST', '/clients/v2', { headers: inside, json: { clientName: 'backdoor' } });
    expect(refused.status).toBe(403);
    expect([...platform.store.all('clients')].map(({ name }) => name)).not.toContain('backdoor');
  });

  it('R154 is invalid as soon as its execution is not running', async () => {
    const execution = platform.store.get('executions', 'X000000000001');
    if (execution) await platform.store.transact((tx) => tx.put('executions', { ...execution, status: 'COMPLETE' }));
    expect((await platform.ask('GET', '/profiles/v2/me', { headers: inside })).status).toBe(401);
  });
});

describe('the token of an execution', () => {
  let service: ActorService;
  let other: string;
  let link: string;
  let actorId: string;
  let inside: RunningExecution;
  beforeAll(async () => {
    service = await startActorService();
    other = await service.actor('ana', { name: 'other', default_environment: { KEY: 'k' } });
    link = await service.actor('ana', { name: 'link', senderVariables: ['COLOR'] });
    await service.ask('ana', 'POST', '/actors/v2/aliases', { json: { alias: 'next', actorId: link } });
    await service.ask('ana', 'POST', '/actors/v2/aliases', { json: { alias: 'other', actorId: other } });
    const json = { name: 'shared', value: 'secret', actors: other, is_secret: true };
    expect((await service.ask('ana', 'POST', '/actors/v2/configs', { json })).status).toBe(200);
  });
  afterAll(() => service.close());

  const start = async (fields: Readonly<Record<string, unknown>>): Promise<void> => {
    actorId = await service.actor('ana', fields);
    inside = await runningExecution(service, actorId);
  };
  const statusOf = async (method: string, path: string, json?: unknown): Promise<number> =>
    (await inside.ask(method, path, json === undefined ? {} : { json })).status;
  const shownOf = async (id: string) => (await service.ask('ana', 'GET', `/actors/v2/${id}`)).result;

  describe('of an actor without token: true', () => {
    beforeAll(() => start({ stateless: false, link: 'next' }));

    it('R154 reads its own actor and execution, and identifies its user', async () => {
      const own = `/actors/v2/${actorId}`;
      for (const path of [
        ...['/profiles/v2/me', own, `${own}/state`, `${own}/messages`, `${own}/executions`],
        ...[`${own}/executions/${inside.executionId}`, `${own}/executions/${inside.executionId}/logs`],
        `/actors/v2/executions/${inside.executionId}`,
      ]) {
        expect(await statusOf('GET', path), path).toBe(200);
      }
      expect((await inside.ask('GET', '/profiles/v2/me')).result['username']).toBe('ana');
    });

    it('R154 writes its own state and results, and messages to the link of its actor', async () => {
      const own = `/actors/v2/${actorId}`;
      expect(await statusOf('POST', `${own}/state`, { seen: 1 })).toBe(200);
      const result = { body: 'x', headers: { 'content-type': 'application/octet-stream' } };
      const results = `${own}/executions/${inside.executionId}/results`;
      expect((await inside.ask('POST', results, result)).status).toBe(200);
      for (const name of ['next', link]) expect(await statusOf('POST', `/actors/v2/${name}/messages`, 1)).toBe(200);
    });

    it.each([
      ['an update of another actor', 'PUT', () => `/actors/v2/${other}`, { image: 'evil' }],
      ['an update of its own actor', 'PUT', () => `/actors/v2/${actorId}`, { image: 'evil', stateless: false }],
      ['a permission', 'POST', () => `/actors/v2/${actorId}/permissions`, { user: 'bob', level: 'UPDATE' }],
      ['a nonce', 'POST', () => `/actors/v2/${actorId}/nonces`, {}],
      ['a new actor with a schedule', 'POST', () => '/actors/v2', { image: 'evil', cronSchedule: '@hourly' }],
      ['its own schedule', 'PUT', () => `/actors/v2/${actorId}/cron`, { cronSchedule: '@hourly' }],
      ['a config', 'GET', () => '/actors/v2/configs/shared', undefined],
      ['a client', 'POST', () => '/clients/v2', { clientName: 'backdoor' }],
      ['a message to its own actor', 'POST', () => `/actors/v2/${actorId}/messages`, 1],
      ['a message to another actor', 'POST', () => '/actors/v2/other/messages', 1],
      ['another actor', 'GET', () => `/actors/v2/${other}`, undefined],
      ['an actor that does not exist', 'GET', () => '/actors/v2/AAAAAAAAAAAAA', undefined],
      ['the state of its link', 'GET', () => '/actors/v2/next/state', undefined],
      ['the list of actors', 'GET', () => '/actors/v2', undefined],
      ['a search', 'GET', () => '/actors/v2/search/actors', undefined],
      ['the users', 'GET', () => '/profiles/v2', undefined],
    ])('R154 is refused %s, with the same message each time', async (_, method, path, json) => {
      const answer = await inside.ask(method, path(), json === undefined ? {} : { json });
      expect(answer).toMatchObject({
        status: 403,
        ...failed('FORBIDDEN', /^The token of this execution reads its own/),
      });
    });

    it('R154 gives no access to another execution of its actor, nor to its log and results', async () => {
      const executionId = await service.message('ana', actorId);
      for (const rest of ['', '/logs', '/results']) {
        expect(await statusOf('GET', `/actors/v2/${actorId}/executions/${executionId}${rest}`)).toBe(403);
      }
      expect(await statusOf('GET', `/actors/v2/executions/${executionId}`)).toBe(403);
    });

    it('R154 R137 sets only declared variables of the link', async () => {
      const sent = await inside.ask('POST', '/actors/v2/next/messages?COLOR=red&CC=echo', { json: 1 });
      const executionId = String(sent.result['executionId']);
      expect(sent.result['ignored_variables']).toEqual(['CC']);
      expect(service.store.get('messages', executionId)?.variables).toEqual({ COLOR: 'red' });
    });

    it('R154 is refused every operation except those of its own actor, execution and link', async () => {
      const params = { actorId: other, alias: 'other', configName: 'shared', executionId: 'EEEEEEEEEEEEE' };
      const answered: string[] = [];
      for (const { id, method, path, guard } of Object.values(serviceOperations)) {
        if (guard === 'public') continue;
        const named = path.replace(/:(\w+)/g, (_, name: string) => Reflect.get(params, name) ?? '1');
        if ((await inside.ask(method, named)).status !== 403) answered.push(id);
      }
      expect(answered).toEqual(['profiles.me']);
    });
  });

  describe('of an actor with token: true', () => {
    beforeAll(() => start({ token: true }));

    it('R154 reads and changes what its owner may', async () => {
      expect(await statusOf('GET', '/actors/v2/configs/shared')).toBe(200);
      expect(await statusOf('PUT', `/actors/v2/${other}`, { image: 'busybox' })).toBe(200);
      expect(await statusOf('POST', '/actors/v2', { image: 'busybox' })).toBe(200);
    });

    it.each([
      ['a permission of its actor', 'POST', () => `/actors/v2/${actorId}/permissions`, { user: 'bob', level: 'READ' }],
      ['a permission of an alias', 'POST', () => '/actors/v2/aliases/next/permissions', { user: 'bob', level: 'READ' }],
      [
        'a permission of a config',
        'POST',
        () => '/actors/v2/configs/shared/permissions',
        { user: 'bob', level: 'READ' },
      ],
      ['a nonce of its actor', 'POST', () => `/actors/v2/${actorId}/nonces`, {}],
      ['a nonce of an alias', 'POST', () => '/actors/v2/aliases/next/nonces', {}],
      ['the deletion of a nonce', 'DELETE', () => `/actors/v2/${actorId}/nonces/DEV_AAAAAAAAAAAAA`, undefined],
      ['a client', 'POST', () => '/clients/v2', { clientName: 'backdoor' }],
      ['a user', 'POST', () => '/users/v2', { username: 'backdoor', password: 'a long password' }],
      ['an actor of the legacy dialect', 'POST', () => '/actors/v2', { image: 'evil', dialect: 'legacy' }],
    ])('R154 is refused %s', async (_, method, path, json) => {
      expect(await statusOf(method, path(), json)).toBe(403);
    });

    it('R154 cannot choose the code of an actor of the legacy dialect', async () => {
      const legacy = await service.actor('ana', { dialect: 'legacy', token: true });
      expect(await statusOf('PUT', `/actors/v2/${legacy}`, { image: 'evil' })).toBe(403);
      const sent = await inside.ask('POST', `/actors/v2/${legacy}/messages?CC=echo`, { json: 1 });
      expect(sent.result['ignored_variables']).toEqual(['CC']);
    });

    it('R154 loses this access as soon as its actor loses token: true', async () => {
      const json = { image: 'busybox' };
      expect((await service.ask('ana', 'PUT', `/actors/v2/${actorId}`, { json })).status).toBe(200);
      expect(await statusOf('GET', `/actors/v2/${other}`)).toBe(403);
    });
  });

  it('R154 of an actor of the legacy dialect is the whole token of its owner', async () => {
    await start({ dialect: 'legacy', stateless: false });
    const json = { user: 'bob', level: 'READ' };
    expect(await statusOf('POST', `/actors/v2/${other}/permissions`, json)).toBe(200);
    expect(await statusOf('POST', `/actors/v2/${actorId}/nonces`, {})).toBe(200);
  });

  it('R154 has the access that the actor displays', async () => {
    const reachOf = async (fields: object) => (await shownOf(await service.actor('ana', { ...fields })))['tokenReach'];
    expect(await reachOf({})).toBe('none');
    expect(await reachOf({ stateless: false })).toBe('own');
    expect(await reachOf({ stateless: false, token: true })).toBe('owner');
    expect(await reachOf({ dialect: 'legacy', token: true })).toBe('whole');
    expect(await reachOf({ dialect: 'legacy' })).toBe('none');
  });
});
