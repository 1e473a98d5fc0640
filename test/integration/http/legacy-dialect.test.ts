// Requests, results and operations of the dialect of the hosted platform. Every difference is compared with the
// response of the main listener to the same request.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, passwordOf, startActorService } from '../../support/service/actor-service.ts';
import { statusAndMessage } from '../../support/service/both-listeners.ts';
import { typed } from '../../support/service/call.ts';
import { basic } from '../../support/service/platform.ts';
import { executionRecord } from '../../support/service/records.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

const both = (...asked: Parameters<ActorService['ask']>) => statusAndMessage(service, ...asked);

describe('requests to the legacy listener', () => {
  it('may send configs as forms, with booleans of Python', async () => {
    const form = { name: 'formed', value: 'text', actors: '', isSecret: 'False' };
    expect((await service.ask('ana', 'POST', '/actors/v2/configs', { form })).status).toBe(415);
    const made = await service.askLegacy('ana', 'POST', '/actors/v2/configs', { form });
    expect([made.status, made.result]).toEqual([200, expect.objectContaining({ value: 'text', isSecret: false })]);
    const changed = { ...form, value: 'more', isSecret: 'True' };
    const replaced = await service.askLegacy('ana', 'PUT', '/actors/v2/configs/formed', { form: changed });
    expect([replaced.status, replaced.result['isSecret']]).toEqual([200, true]);
    const grant = { form: { user: 'bob', level: 'READ' } };
    const path = '/actors/v2/configs/formed/permissions';
    expect((await service.ask('ana', 'POST', path, grant)).status).toBe(415);
    expect((await service.askLegacy('ana', 'POST', path, grant)).result).toEqual({ ana: 'UPDATE', bob: 'READ' });
  });

  it.each([
    ['name=a&name=b&value=1&actors=&isSecret=true', 'name must be given once'],
    ['name=a&value=1&value=2&actors=&isSecret=true', undefined],
    ['name=a&value=1&actors=&isSecret=true&isSecret=false', 'isSecret must be true or false'],
    ['name=a&value=1&isSecret=true', 'actors is required'],
  ])('with the form %s succeed without an internal error', async (body, words) => {
    const asked = typed('application/x-www-form-urlencoded', body);
    const { status, text } = await service.askLegacy('ana', 'POST', '/actors/v2/configs', asked);
    expect([status, text]).toEqual([
      words === undefined ? 200 : 400,
      expect.stringContaining(words ?? 'Config created'),
    ]);
  });

  it('may repeat stateless=false of a stateless actor, but not stateless=true of a stateful one', async () => {
    const json = { image: 'alpine', stateless: false };
    const stateless = await service.actor('ana');
    const fixed = expect.stringContaining('stateless is fixed at registration');
    const [main, legacy] = await both('ana', 'PUT', `/actors/v2/${stateless}`, { json });
    expect([main, legacy?.[0]]).toEqual([[400, fixed], 200]);
    const stateful = await service.actor('ana', { stateless: false });
    const back = { json: { image: 'alpine', stateless: true } };
    expect(await both('ana', 'PUT', `/actors/v2/${stateful}`, back)).toEqual([
      [400, fixed],
      [400, fixed],
    ]);
  });

  it('may ask for a second worker of a stateful actor, which stays idle', async () => {
    const id = await service.actor('admin', { stateless: false });
    const [main, legacy] = await both('admin', 'POST', `/actors/v2/${id}/workers`, { json: { num: 2 } });
    expect([main?.[0], legacy?.[0]]).toEqual([400, 200]);
    expect(service.store.get('actors', id)?.wantedWorkers).toBe(2);
  });
});

describe('the deletion of an actor on the legacy listener', () => {
  it('ends running executions, which the main listener refuses without force', async () => {
    const id = await service.actor('ana');
    const record = executionRecord('running1', { actorId: id, status: 'RUNNING' });
    await service.store.transact((tx) => tx.put('executions', record));
    expect((await service.ask('ana', 'DELETE', `/actors/v2/${id}`)).status).toBe(409);
    expect((await service.askLegacy('ana', 'DELETE', `/actors/v2/${id}?force=false`)).status).toBe(400);
    expect((await service.askLegacy('ana', 'DELETE', `/actors/v2/${id}`)).status).toBe(200);
    expect(service.store.get('actors', id)).toBeUndefined();
  });
});

describe('results from the legacy listener', () => {
  it('of actors have defaultEnvironment, of states only the state', async () => {
    const fields = { stateless: false, default_environment: { A: 'b' }, state: { n: 1 } };
    const id = await service.actor('ana', fields);
    const main = (await service.ask('ana', 'GET', `/actors/v2/${id}`)).result;
    const legacy = (await service.askLegacy('ana', 'GET', `/actors/v2/${id}`)).result;
    expect([main['defaultEnvironment'], legacy['defaultEnvironment']]).toEqual([undefined, { A: 'b' }]);
    expect((await service.askLegacy('ana', 'GET', `/actors/v2/${id}/state`)).result).toEqual({ state: { n: 1 } });
  });

  it('of actor searches have null in gid, uid and tasdir, and text in token', async () => {
    await service.actor('priv');
    const found = await service.askLegacy('priv', 'GET', '/actors/v2/search/actors');
    const row = { gid: null, uid: null, tasdir: null, token: 'false' };
    expect(found.result['search']).toEqual([expect.objectContaining(row)]);
    const listed = await service.askLegacy('priv', 'GET', '/actors/v2?image=alpine');
    expect(listed.result['search']).toEqual([expect.objectContaining(row)]);
    const executions = await service.askLegacy('priv', 'GET', '/actors/v2/search/executions');
    expect(executions.result['search']).toEqual([]);
  });

  it('of nonces and workers write a missing time as None', async () => {
    const id = await service.actor('ana');
    const nonce = await service.askLegacy('ana', 'POST', `/actors/v2/${id}/nonces`);
    expect(nonce.result['lastUseTime']).toBe('None');
    const worker = {
      id: 'w1',
      actorId: id,
      tenant: 'DEV',
      status: 'READY',
      image: 'alpine',
      revision: 1,
      createdAt: 5,
    };
    await service.store.transact((tx) => tx.put('workers', worker as never));
    const shown = await service.askLegacy('ana', 'GET', `/actors/v2/${id}/workers/w1`);
    expect(shown.result).toMatchObject({
      lastExecutionTime: 'None',
      location: 'unix://var/run/docker.sock',
      cid: expect.stringMatching(/^[0-9a-f]{64}$/),
      chName: 'worker_w1',
      hostId: '0',
      hostIp: '127.0.0.1',
      image: 'alpine',
      tenant: 'DEV',
    });
    expect(Object.keys(shown.result)).toContain('lastHealthCheckTime');
    const overview = await service.askLegacy('admin', 'GET', '/actors/v2/admin/workers');
    const { workers } = overview.result as { workers: { id: string }[] };
    expect(workers.find(({ id }) => id === 'w1')).toMatchObject({ ...shown.result, actorDbid: `DEV_${id}` });
    const { json } = await service.askLegacy('admin', 'GET', '/actors/v2/admin');
    const rows = (json as { result: { id: string; workers: object[] }[] }).result;
    expect(rows.find((row) => row.id === id)?.workers).toEqual([shown.result]);
  });

  it('of executions have 0 where nothing was measured', async () => {
    const id = await service.actor('bob');
    const path = `/actors/v2/${id}/executions/${await service.message('bob', id)}`;
    expect(Object.keys((await service.ask('bob', 'GET', path)).result)).not.toContain('io');
    expect((await service.askLegacy('bob', 'GET', path)).result).toMatchObject({ cpu: 0, io: 0 });
    for (const search of [`/actors/v2/${id}/executions?limit=9`, '/actors/v2/search/executions']) {
      const found = await service.askLegacy('bob', 'GET', search);
      expect(found.result['search']).toEqual([expect.objectContaining({ cpu: 0, io: 0 })]);
    }
    const listed = await service.askLegacy('bob', 'GET', `/actors/v2/${id}/executions`);
    expect(listed.result).toMatchObject({ totalExecutions: 1 });
  });

  it('of nonces show the secret to their owner, if the nonce was created on the legacy listener', async () => {
    const id = await service.actor('ana');
    const path = `/actors/v2/${id}/nonces`;
    const idsOf = (text: string) => (JSON.parse(text) as { result: { id: string }[] }).result.map((each) => each.id);
    const here = String((await service.askLegacy('ana', 'POST', path)).result['id']);
    const there = String((await service.ask('ana', 'POST', path)).result['id']);
    const [shown = '', named = ''] = idsOf((await service.askLegacy('ana', 'GET', path)).text);
    expect([shown, there.startsWith(named)]).toEqual([here, true]);
    expect(named.length).toBeLessThan(there.length);
    expect((await service.askLegacy(undefined, 'GET', `/actors/v2/${id}?x-nonce=${shown}`)).status).toBe(200);
    for (const each of idsOf((await service.ask('ana', 'GET', path)).text)) expect([here, there]).not.toContain(each);
    expect(idsOf((await service.askLegacy('admin', 'GET', path)).text)).not.toContain(here);
    expect((await service.askLegacy('ana', 'GET', `${path}/${here}`)).result['id']).toBe(here);
  });

  it('have links to the listener that got the request', async () => {
    const tenants = async (ask: ActorService['ask']) => (await ask(undefined, 'GET', '/tenants')).text;
    const id = await service.actor('ana');
    const linksOf = async (ask: ActorService['ask']) => (await ask('ana', 'GET', `/actors/v2/${id}`)).result['_links'];
    expect(await tenants(service.ask)).toContain(`"baseUrl":"${service.baseUrl}"`);
    expect(await tenants(service.askLegacy)).toMatch(/"baseUrl":"https:\/\/localhost:\d+"/);
    expect(await linksOf(service.ask)).toMatchObject({ self: `${service.baseUrl}/actors/v2/${id}` });
    expect(await linksOf(service.askLegacy)).toMatchObject({ self: expect.stringMatching(/^https:\/\/localhost:/) });
  });
});

describe('operations that only the legacy listener has', () => {
  const asAna = { headers: { authorization: basic('ana', passwordOf('ana')) } };
  const SUBSCRIPTIONS = '/clients/v2/ana/subscriptions';

  it('list the subscriptions of an own client', async () => {
    expect((await service.ask(undefined, 'GET', SUBSCRIPTIONS, asAna)).status).toBe(404);
    const listed = await service.askLegacy(undefined, 'GET', SUBSCRIPTIONS, asAna);
    const names = (JSON.parse(listed.text) as { result: { apiName: string }[] }).result.map(({ apiName }) => apiName);
    expect([listed.status, names]).toEqual([200, ['Actors', 'Clients', 'Profiles']]);
    const all = { ...asAna, json: { apiName: '*' } };
    expect((await service.askLegacy(undefined, 'POST', SUBSCRIPTIONS, all)).status).toBe(200);
    expect((await service.askLegacy(undefined, 'DELETE', SUBSCRIPTIONS, asAna)).status).toBe(200);
    expect((await service.askLegacy(undefined, 'GET', '/clients/v2/bob/subscriptions', asAna)).status).toBe(404);
    expect((await service.askLegacy(undefined, 'GET', SUBSCRIPTIONS)).status).toBe(401);
  });

  it('let an admin create, change and delete profiles', async () => {
    const json = { username: 'newby', email: 'n@example.org', firstName: 'New' };
    expect((await service.ask('admin', 'POST', '/profiles/v2', { json })).status).toBe(405);
    expect((await service.askLegacy('ana', 'POST', '/profiles/v2', { json })).status).toBe(400);
    expect((await service.askLegacy('admin', 'POST', '/profiles/v2', { json })).status).toBe(200);
    const changed = { json: { ...json, firstName: 'Old' } };
    const { result } = await service.askLegacy('admin', 'PUT', '/profiles/v2/newby', changed);
    expect(result['firstName']).toBe('Old');
    expect((await service.askLegacy('admin', 'DELETE', '/profiles/v2/newby')).status).toBe(200);
  });
});
