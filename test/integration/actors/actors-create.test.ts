// Registering actors over HTTP: accepted fields, refused fields, and the roles that some fields need.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runningExecution } from '../../support/scenarios/resources.ts';
import { type ActorService, failed, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

describe('actors.create', () => {
  it('returns the whole record with defaults, absolute links and the envelope (R121)', async () => {
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
        senderVariables: [],
        hints: [],
        type: 'none',
        link: '',
        webhook: '',
        queue: 'default',
        token: false,
        tokenReach: 'none',
        privileged: false,
        useContainerUid: false,
        cronOn: false,
        mounts: [],
        state: {},
        revision: 1,
        version: 1,
        createTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        lastUpdateTime: answer.result['createTime'],
        _links: {
          self: `${service.baseUrl}/actors/v2/${id}`,
          owner: `${service.baseUrl}/profiles/v2/ana`,
          executions: `${service.baseUrl}/actors/v2/${id}/executions`,
        },
      },
    });
    expect(service.scheduler.calls).toContain(`actorChanged:${id}`);
  });

  it('accepts JSON in both field spellings, and names the fields that it ignored', async () => {
    const json = { image: 'a', defaultEnvironment: { A: '1' }, log_ex: 60, maxRunTime: 5, hints: ['x'], surprise: 1 };
    const answer = await service.ask('ana', 'POST', '/actors/v2', { json });
    expect(answer.result).toMatchObject({ default_environment: { A: '1' }, logEx: 60, maxRunTime: 5, hints: ['x'] });
    expect(answer.json).toMatchObject({ message: expect.stringContaining('surprise') });
  });

  it('accepts privileged fields only from users with the role privileged', async () => {
    const json = { image: 'a', maxWorkers: 2, memLimit: '1g', maxCpus: 1e9, privileged: true, queue: 'special' };
    expect(await service.ask('ana', 'POST', '/actors/v2', { json })).toMatchObject({
      status: 403,
      ...failed('FORBIDDEN', /maxWorkers/),
    });
    expect((await service.ask('priv', 'POST', '/actors/v2', { json })).result).toMatchObject(json);
  });

  it('refuses a memory limit too low for the engine, even in an update', async () => {
    const post = (memLimit: string) => service.ask('priv', 'POST', '/actors/v2', { json: { image: 'a', memLimit } });
    expect(await post('1')).toMatchObject({ status: 400, ...failed('VALIDATION', /memLimit must be at least 6m/) });
    const { id } = (await post('6m')).result as { id: string };
    const put = await service.ask('priv', 'PUT', `/actors/v2/${id}`, { json: { image: 'a', memLimit: '1m' } });
    expect(put).toMatchObject({ status: 400, ...failed('VALIDATION', /memLimit must be at least 6m/) });
    const folder = { image: 'file:///srv/actor', memLimit: '1m' };
    expect((await service.ask('admin', 'POST', '/actors/v2', { json: folder })).status).toBe(200);
  });

  it('accepts folders of the host as images only from admins', async () => {
    const json = { image: 'file:///srv/actor' };
    expect(await service.ask('priv', 'POST', '/actors/v2', { json })).toMatchObject({
      status: 403,
      ...failed('FORBIDDEN'),
    });
    expect((await service.ask('admin', 'POST', '/actors/v2', { json })).status).toBe(200);
  });

  it('refuses a folder that cannot run at once, in an update only as a new image, and without the role not at all', async () => {
    const missing = 'file:///missing/actor';
    const refused = { status: 400, ...failed('VALIDATION', /^Cannot use the folder\.$/) };
    const before = [...service.store.all('actors')].length;
    expect(await service.ask('admin', 'POST', '/actors/v2', { json: { image: missing } })).toMatchObject(refused);
    expect(await service.ask('priv', 'POST', '/actors/v2', { json: { image: missing } })).toMatchObject({
      status: 403,
    });
    expect([...service.store.all('actors')].length).toBe(before);
    const id = await service.actor('admin');
    const put = (as: 'admin' | 'priv', json: object) => service.ask(as, 'PUT', `/actors/v2/${id}`, { json });
    expect(await put('admin', { image: missing })).toMatchObject(refused);
    expect(service.store.get('actors', id)).toMatchObject({ image: 'alpine', revision: 1 });
    await service.store.transact((tx) => {
      const actor = tx.get('actors', id);
      if (actor) tx.put('actors', { ...actor, image: missing });
    });
    expect(await put('admin', { image: missing, description: 'the folder is gone' })).toMatchObject({ status: 200 });
  });

  for (const [name, asked, text] of [
    ['a missing image', { json: {} }, /image/],
    ['an empty form', { form: {} }, /image/],
    ['an invalid image', { json: { image: '--privileged' } }, /image/],
    ['a bad boolean', { form: { image: 'a', stateless: 'abcd' } }, /stateless/],
    [
      'a variable named __proto__',
      { json: { image: 'a', default_environment: JSON.parse('{"__proto__":"x","A":"1"}') } },
      /default_environment/,
    ],
    ['an invalid variable name', { json: { image: 'a', default_environment: { '1A': 'x' } } }, /default_environment/],
    ['a variable that the platform sets', { json: { image: 'a', defaultEnvironment: { MSG: 'x' } } }, /MSG/],
    ['a sender variable that the platform sets', { json: { image: 'a', senderVariables: ['A', '_svc_*'] } }, /_svc_\*/],
    ['an open prefix', { json: { image: 'a', senderVariables: ['*'] } }, /senderVariables/],
    ['a bad sender variable', { json: { image: 'a', senderVariables: ['A*B'] } }, /senderVariables/],
    ['a bad placement', { json: { image: 'a', placement: ['gpu'] } }, /node\.labels\.gpu==true/],
    ['a bad hint', { json: { image: 'a', hints: ['{'] } }, /hints/],
    ['a bad queue', { json: { image: 'a', queue: 'nope' } }, /queue/],
    [
      'a worker limit for a stateful actor',
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

describe('refusals of a registration', () => {
  it('name the field in the spelling of the request, whichever rule refuses it', async () => {
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

  it('R154 stop a running execution from adding privileges or host processes, even if an admin owns it', async () => {
    const actorId = await service.actor('admin', { token: true });
    const others = await service.actor('ana');
    const { ask } = await runningExecution(service, actorId, 'admin');
    const inside = async (method: string, path: string, json?: unknown) =>
      (await ask(method, path, json === undefined ? {} : { json })).status;
    for (const json of [{ image: 'file:///srv/actor' }, { image: 'alpine', privileged: true }]) {
      expect(await inside('POST', '/actors/v2', json)).toBe(403);
      expect(await inside('PUT', `/actors/v2/${actorId}`, json)).toBe(403);
      expect((await service.ask('admin', 'POST', '/actors/v2', { json })).status).toBe(200);
    }
    expect(await inside('PUT', `/actors/v2/${actorId}`, { image: 'busybox', token: true })).toBe(200);
    // The owner passes the permission checks of the tenant by role. The execution token of the owner does not.
    expect((await service.ask('admin', 'GET', `/actors/v2/${others}`)).status).toBe(200);
    expect(await inside('GET', `/actors/v2/${others}`)).toBe(404);
  });
});
