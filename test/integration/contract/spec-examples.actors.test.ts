// Sections 4.3 to 4.6 of the interface specification: every request as printed, every field of its response.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configsOf } from '../../../daemon/actors/configs/injection.ts';
import { sendPrinted, type Values } from '../../support/contract/printed-request.ts';
import { type ActorService, startActorService, tokenOf } from '../../support/service/actor-service.ts';

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const JSON_TYPE = 'Content-Type: application/json';
const BEARER = 'Authorization: Bearer <ACCESS_TOKEN>';

let service: ActorService;
let values: Values;
const send = (printed: string, more: Values = {}) =>
  sendPrinted(service.baseUrl, printed, { ACCESS_TOKEN: tokenOf('ana'), ...values, ...more });
const get = (path: string) => send(`GET {base_url}${path}\n${BEARER}`);
/** Section 2.3: exactly these four fields. */
const envelope = (result: unknown, message: RegExp = /./) => ({
  message: expect.stringMatching(message),
  result,
  status: 'success',
  version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
});

beforeAll(async () => {
  service = await startActorService();
  values = { actor_id: await service.actor('ana', { name: 'example', stateless: false }), alias: 'example' };
});
afterAll(() => service.close());

describe('4.3 aliases', () => {
  const alias = () => ({
    alias: 'example',
    actorId: values['actor_id'],
    owner: 'ana',
    _links: {
      actor: `${service.baseUrl}/actors/v2/${values['actor_id']}`,
      owner: `${service.baseUrl}/profiles/v2/ana`,
      self: `${service.baseUrl}/actors/v2/aliases/example`,
    },
  });

  it('POST {base_url}/actors/v2/aliases', async () => {
    const answer = await send(
      `POST {base_url}/actors/v2/aliases\n${BEARER}\n${FORM}\n\nalias=example&actorId=<actor_id>`,
    );
    expect([answer.status, answer.json]).toEqual([200, envelope(alias(), /alias created/i)]);
  });

  it('GET {base_url}/actors/v2/aliases/<alias>', async () => {
    expect((await get('/actors/v2/aliases/<alias>')).json).toEqual(envelope(alias()));
  });

  it('GET {base_url}/actors/v2/<alias> is identical to the id', async () => {
    const [byAlias, byId] = [await get('/actors/v2/<alias>'), await get('/actors/v2/<actor_id>')];
    expect([byAlias.status, byAlias.text]).toEqual([200, byId.text]);
  });

  it.each(['aliases/<alias>', '<actor_id>'])('POST {base_url}/actors/v2/%s/nonces', async (path) => {
    const answer = await send(`POST {base_url}/actors/v2/${path}/nonces\n${BEARER}\n${FORM}\n\nmaxUses=3&level=READ`);
    expect(answer.json).toEqual(envelope(expect.objectContaining({ maxUses: 3, level: 'READ', remainingUses: 3 })));
  });

  it('5.6 a nonce of an alias cannot have level UPDATE', async () => {
    const answer = await send(
      `POST {base_url}/actors/v2/aliases/<alias>/nonces\n${BEARER}\n${FORM}\n\nmaxUses=3&level=UPDATE`,
    );
    expect(answer.status).toBe(400);
  });
});

describe('4.4 actor registration and update', () => {
  const described = () => ({
    image: 'abacosamples/wc',
    name: 'my actor',
    description: 'counts words',
    default_environment: { foo: 'bar', baz: 'qux' },
    link: values['actor_id'],
    webhook: 'https://example.org/hook',
    stateless: true,
  });
  const form =
    'image=abacosamples/wc&name=my+actor&description=counts+words&default_environment[foo]=bar' +
    '&default_environment[baz]=qux&link=<actor_id>&webhook=https://example.org/hook&stateless=true';
  const json = () => JSON.stringify(described());

  it.each([
    ['form-encoded', () => `${FORM}\n\n${form}`],
    ['JSON', () => `${JSON_TYPE}\n\n${json()}`],
  ])('POST {base_url}/actors/v2, %s, then PUT and GET', async (_, payload) => {
    const made = await send(`POST {base_url}/actors/v2\n${BEARER}\n${payload()}`);
    expect([made.status, made.json]).toEqual([200, envelope(expect.objectContaining(described()))]);
    expect(made.json).toMatchObject({ message: expect.not.stringContaining('Ignored') });
    const path = `/actors/v2/${String(made.result['id'])}`;
    const put = await send(`PUT {base_url}${path}\n${BEARER}\n${payload()}`);
    expect([put.status, put.json]).toEqual([200, envelope(expect.objectContaining(described()))]);
    expect(put.json).toMatchObject({ message: expect.not.stringContaining('Ignored') });
    expect((await get(path)).json).toEqual(envelope(put.result));
  });

  it('PUT sets and changes link and webhook', async () => {
    const actor = await service.actor('ana');
    const put = (fields: string) =>
      send(`PUT {base_url}/actors/v2/${actor}\n${BEARER}\n${FORM}\n\nimage=alpine&${fields}`);
    expect((await put('link=<alias>&webhook=http://127.0.0.1:1/a')).result).toMatchObject({
      link: 'example',
      webhook: 'http://127.0.0.1:1/a',
    });
    expect((await put('webhook=http://127.0.0.1:1/b')).result).toMatchObject({
      link: '',
      webhook: 'http://127.0.0.1:1/b',
    });
  });

  it('7 a link to itself is not permitted', async () => {
    const answer = await send(
      `PUT {base_url}/actors/v2/<actor_id>\n${BEARER}\n${FORM}\n\nimage=alpine&link=<actor_id>`,
    );
    expect([answer.status, answer.headers['x-failure-code']]).toEqual([400, 'LINK_CYCLE']);
  });
});

describe('4.5 configs', () => {
  const config = (change: object = {}) => ({
    name: 'my_config',
    value: { key: 'value', list: [1, 2] },
    actors: `${values['actor_id']},example`,
    is_secret: false,
    ...change,
  });
  /** Fields that the specification does not print: the documented spelling of the flag, and additions. */
  const kept = (change: object = {}) => ({
    ...config(change),
    isSecret: false,
    owner: 'ana',
    revision: expect.any(Number),
    createTime: expect.any(String),
    lastUpdateTime: expect.any(String),
  });
  const sent = (change: object = {}) => `${BEARER}\n${JSON_TYPE}\n\n${JSON.stringify(config(change))}`;

  it('POST {base_url}/actors/v2/configs', async () => {
    const answer = await send(`POST {base_url}/actors/v2/configs\n${sent()}`);
    expect([answer.status, answer.json]).toEqual([200, envelope(kept())]);
  });

  it('GET {base_url}/actors/v2/configs/<config_name>', async () => {
    expect((await get('/actors/v2/configs/my_config')).json).toEqual(envelope(kept()));
  });

  it('PUT {base_url}/actors/v2/configs/<config_name> replaces the config', async () => {
    const change = { value: 'other', actors: values['actor_id'] };
    const answer = await send(`PUT {base_url}/actors/v2/configs/my_config\n${sent(change)}`);
    expect([answer.status, answer.json]).toEqual([200, envelope(kept(change))]);
  });

  it('a secret is returned in encrypted form', async () => {
    const secret = { name: 'my_secret', is_secret: true };
    const answer = await send(`POST {base_url}/actors/v2/configs\n${sent(secret)}`);
    expect(answer.json).toEqual(envelope({ ...kept(secret), isSecret: true, value: expect.any(String) }));
    expect(answer.text).not.toContain('"key"');
  });

  it('GET and POST {base_url}/actors/v2/configs/<config_name>/permissions', async () => {
    const path = '/actors/v2/configs/my_config/permissions';
    expect((await get(path)).json).toEqual(envelope({ ana: 'UPDATE' }));
    const answer = await send(`POST {base_url}${path}\n${BEARER}\n${JSON_TYPE}\n\n{"user": "bob", "level": "UPDATE"}`);
    expect(answer.json).toEqual(envelope({ ana: 'UPDATE', bob: 'UPDATE' }, /permission added/i));
    expect((await get(path)).json).toEqual(envelope({ ana: 'UPDATE', bob: 'UPDATE' }));
  });

  it('6 the variable _actor_configs holds an object of the configs shared with the actor', () => {
    const text = configsOf(service.dependencies).receivedBy({ id: values['actor_id'] ?? '', tenant: 'DEV' }).text;
    expect(JSON.parse(text)).toEqual({ my_config: 'other', my_secret: { key: 'value', list: [1, 2] } });
  });

  it('7 a form-encoded body is not supported', async () => {
    const answer = await send(`POST {base_url}/actors/v2/configs\n${BEARER}\n${FORM}\n\nname=a&value=1`);
    expect(answer.status).toBe(415);
  });
});

describe('4.6 actor state', () => {
  it('POST and GET {base_url}/actors/v2/<actor_id>/state', async () => {
    for (const state of ['{"count": 1}', '[1, "two", null]', '"text"', '3']) {
      const posted = await send(`POST {base_url}/actors/v2/<actor_id>/state\n${BEARER}\n${JSON_TYPE}\n\n${state}`);
      expect([posted.status, posted.json]).toEqual([
        200,
        envelope(expect.objectContaining({ state: JSON.parse(state) })),
      ]);
      expect((await get('/actors/v2/<actor_id>/state')).result).toMatchObject({ state: JSON.parse(state) });
    }
  });

  it('7 POST of state to a stateless actor', async () => {
    const actor = await service.actor('ana');
    const answer = await send(`POST {base_url}/actors/v2/${actor}/state\n${BEARER}\n${JSON_TYPE}\n\n{}`);
    expect(answer.json).toMatchObject({ status: 'error', message: 'actor is stateless.' });
  });
});
