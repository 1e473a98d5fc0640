// Configs over HTTP with real authentication: permissions to create, read and change them, and values that return
// unchanged. The file is long because one set of users, actors and aliases serves all tests.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configsOf } from '../../../daemon/actors/configs/injection.ts';
import { nameKey } from '../../../daemon/domain/records/resource-records.ts';
import { CONFIG_VALUE_LIMIT } from '../../../src/contract/actors/configs.ts';
import { type ActorService, failed, type Name, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
let actor: string;
let bobs: string;
let count = 0;

const PATH = '/actors/v2/configs';
const fresh = (): string => {
  count += 1;
  return `config-${count}`;
};

const create = (as: Name, fields: Readonly<Record<string, unknown>> = {}) =>
  service.ask(as, 'POST', PATH, { json: { name: fresh(), value: 1, actors: '', is_secret: false, ...fields } });

/** Sends a JSON body exactly as written. */
const raw = (as: Name, method: string, path: string, body: string) =>
  service.ask(as, method, path, { body, headers: { 'content-type': 'application/json' } });

const made = async (as: Name, fields: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  const answer = await create(as, fields);
  if (answer.status !== 200) throw new Error(answer.text);
  return String(answer.result['name']);
};

const grant = async (name: string, username: string, level: 'NONE' | 'READ' | 'EXECUTE' | 'UPDATE'): Promise<void> => {
  await service.store.transact((tx) => {
    const config = [...tx.all('configs')].find((each) => each.name === name);
    if (config) tx.put('configs', { ...config, permissions: { ...config.permissions, [username]: level } });
  });
};

/** The configs that an execution of the actor would get at this moment, as JSON text. */
const injected = (actorId: string): string =>
  configsOf(service.dependencies).receivedBy({ id: actorId, tenant: 'DEV' }).text;

beforeAll(async () => {
  service = await startActorService();
  actor = await service.actor('ana');
  bobs = await service.actor('bob');
});
afterAll(() => service.close());

describe('creating a config', () => {
  it('returns the whole config, with the secret flag in both spellings', async () => {
    const name = fresh();
    const answer = await service.ask('ana', 'POST', PATH, {
      json: { name, value: { a: [1, 'x'] }, actors: ` ${actor} , `, isSecret: false },
    });
    expect(answer).toMatchObject({
      status: 200,
      json: { status: 'success', result: { name, value: { a: [1, 'x'] }, isSecret: false, is_secret: false } },
    });
    expect(answer.result).toMatchObject({ actors: ` ${actor} , `, owner: 'ana', revision: 1 });
  });
  it.each([
    ['null', 'null'],
    ['a number with more digits than a double', '12345678901234567890'],
    ['a number outside the range of a double', '1e400'],
    ['a repeated member', '{"a":1,"a":2}'],
    ['half a character', '"\\ud800"'],
    ['a member named __proto__', '{"__proto__":{"x":1},"constructor":2}'],
    ['white space', '[ 1 ,\n 2 ]'],
    ['an empty text', '""'],
    ['false', 'false'],
    ['text that looks like the end of the value', '"},\\"value\\":2"'],
  ])('R129 preserves %s exactly as sent, in responses and for actors', async (_, text) => {
    const name = fresh();
    const own = await service.actor('ana');
    const sent = await raw(
      'ana',
      'POST',
      PATH,
      `{"name":"${name}", "value" : ${text} ,"actors":"${own}","is_secret":false}`,
    );
    expect(sent.status).toBe(200);
    expect((await service.ask('ana', 'GET', `${PATH}/${name}`)).text).toContain(`"value":${text},`);
    expect(injected(own)).toBe(`{"${name}":${text}}`);
  });
  it('uses the last value if the value is given twice', async () => {
    const name = fresh();
    const answer = await raw(
      'ana',
      'POST',
      PATH,
      `{"value":1,"name":"${name}","actors":"","is_secret":false,"value":2}`,
    );
    expect(answer.result['value']).toBe(2);
  });
  it.each([
    ['name', { name: undefined }],
    ['name', { name: null }],
    ['value', { value: undefined }],
    ['actors', { actors: undefined }],
    ['actors', { actors: ['x'] }],
    ['is_secret', { is_secret: undefined }],
    ['is_secret', { is_secret: 'perhaps' }],
  ])('without a valid %s is refused, and the refusal names the field', async (field, fields) => {
    expect(await create('ana', fields)).toMatchObject({
      status: 400,
      ...failed('VALIDATION', new RegExp(`^${field} `)),
    });
  });
  it.each([
    ['nothing', ''],
    ['a dot', '.'],
    ['two dots', '..'],
    ['a slash', 'a/b'],
    ['a backslash', 'a\\b'],
    ['a space', 'a b'],
    ['a comma', 'a,b'],
    ['a percent escape', '%2e%2e'],
    ['a control character', 'a\u0007'],
    ['a text direction mark', 'a\u202eb'],
    ['a lone surrogate', 'a\ud800'],
    ['a reserved word', 'search'],
    ['a reserved word in capitals', 'Aliases'],
    ['300 letters', 'x'.repeat(300)],
    ['NUL', 'a\0'],
  ])('R131 with a name of %s is refused', async (_, name) => {
    expect(await create('ana', { name })).toMatchObject({ status: 400, ...failed('VALIDATION', /^name /) });
  });
  it('with a name of a megabyte is refused, whatever its characters', async () => {
    expect((await create('ana', { name: 'x'.repeat(1_000_000) })).status).toBe(400);
  });
  it.each(['__proto__', 'constructor', 'toString', '😀', 'db.v2_main-x', 'datenbank-ä'])(
    'R131 accepts the name %s like any other',
    async (name) => {
      const own = await service.actor('ana');
      expect(await create('ana', { name, value: { own: true }, actors: own })).toMatchObject({ status: 200 });
      const path = `${PATH}/${encodeURIComponent(name)}`;
      expect((await service.ask('ana', 'GET', path)).result['name']).toBe(name);
      expect(injected(own)).toBe(`{${JSON.stringify(name)}:{"own":true}}`);
      expect((await service.ask('ana', 'DELETE', path)).json).toMatchObject({ status: 'success', result: null });
    },
  );
  it('R129 refuses a name that is taken in the tenant, and accepts it in another tenant', async () => {
    const name = await made('ana');
    expect(await create('bob', { name })).toMatchObject({ status: 409, ...failed('ALREADY_EXISTS', /already exists/) });
    expect((await create('otherAna', { name })).status).toBe(200);
  });
  it('R129 succeeds for one of two simultaneous requests with the same name', async () => {
    const name = fresh();
    const answers = await Promise.all(Array.from({ length: 8 }, () => create('ana', { name })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });
  it('R129 with a form is refused with 415 and the advice to send JSON', async () => {
    const answer = await service.ask('ana', 'POST', PATH, {
      form: { name: 'x', value: '1', actors: '', is_secret: 'false' },
    });
    expect(answer).toMatchObject({ status: 415, ...failed('UNSUPPORTED_MEDIA_TYPE', /send JSON/) });
  });
  it('with a body that is malformed, too deep or not an object is refused', async () => {
    expect(await raw('ana', 'POST', PATH, '{"name":')).toMatchObject({ status: 400, ...failed('MALFORMED_BODY') });
    expect(await raw('ana', 'POST', PATH, '['.repeat(10_000) + ']'.repeat(10_000))).toMatchObject({ status: 400 });
    expect(await raw('ana', 'POST', PATH, '[]')).toMatchObject({ status: 400, ...failed('VALIDATION') });
  });
  it('with a value above the limit is refused with 413, and the refusal names the limit', async () => {
    const most = { value: 'x'.repeat(CONFIG_VALUE_LIMIT - 2) };
    expect((await create('ana', most)).status).toBe(200);
    expect(await create('ana', { value: `${most.value}x` })).toMatchObject({
      status: 413,
      ...failed('PAYLOAD_TOO_LARGE', new RegExp(String(CONFIG_VALUE_LIMIT))),
    });
  });
});

describe('the actors of a config', () => {
  it('R129 must exist, and the caller needs UPDATE on each', async () => {
    expect(await create('ana', { actors: `${actor},nobody` })).toMatchObject({
      status: 404,
      ...failed('NOT_FOUND', /actors: "nobody"/),
    });
    expect(await create('ana', { actors: `${actor},${bobs}` })).toMatchObject({ status: 404, ...failed('NOT_FOUND') });
    await service.store.transact((tx) => {
      const record = tx.get('actors', bobs);
      if (record) tx.put('actors', { ...record, permissions: { ...record.permissions, ana: 'EXECUTE' } });
    });
    expect(await create('ana', { actors: bobs })).toMatchObject({ status: 403, ...failed('FORBIDDEN', /UPDATE/) });
    expect((await create('admin', { actors: `${actor},${bobs}` })).status).toBe(200);
  });
  it('cannot be in another tenant', async () => {
    const elsewhere = await service.actor('otherAna');
    expect(await create('admin', { actors: elsewhere })).toMatchObject({ status: 404, ...failed('NOT_FOUND') });
  });
  it('R129 need UPDATE on each again when the list changes, but not when only the value changes', async () => {
    const name = await made('admin', { actors: `${actor},${bobs}` });
    await grant(name, 'ana', 'UPDATE');
    const put = (actors: string, value: unknown) =>
      service.ask('ana', 'PUT', `${PATH}/${name}`, { json: { name, value, actors, is_secret: false } });
    expect(await put(`${bobs}, ${actor}`, 'new')).toMatchObject({ status: 200, json: { result: { value: 'new' } } });
    expect(await put(`${actor},x,${bobs}`, 'newer')).toMatchObject({ status: 404 });
    expect((await put(actor, 'newest')).status).toBe(200);
    expect(await put(`${actor},${bobs}`, 'again')).toMatchObject({ status: 403, ...failed('FORBIDDEN') });
  });
  it('get the configs that name them, by id or alias, and no others', async () => {
    const own = await service.actor('ana');
    const other = await service.actor('ana');
    const alias = `alias-${own.slice(0, 6)}`;
    const point = (actorId: string) =>
      service.store.transact((tx) =>
        tx.put('aliases', {
          tenant: 'DEV',
          alias,
          actorId,
          pointedBy: 'ana',
          owner: 'ana',
          permissions: { ana: 'UPDATE' },
          createdAt: 0,
          updatedAt: 0,
        }),
      );
    await point(own);
    const byId = await made('ana', { actors: `${own}, ${other}`, value: 'id' });
    const byAlias = await made('ana', { actors: alias, value: 'alias' });
    await made('ana', { actors: other });
    expect(JSON.parse(injected(own))).toEqual({ [byId]: 'id', [byAlias]: 'alias' });
    await point(other);
    expect(JSON.parse(injected(own))).toEqual({ [byId]: 'id' });
    expect(JSON.parse(injected(other))).toMatchObject({ [byId]: 'id', [byAlias]: 'alias' });
    await service.ask('ana', 'DELETE', `/actors/v2/${other}`);
    expect((await service.ask('ana', 'GET', `${PATH}/${byId}`)).result['actors']).toBe(own);
    expect((await service.ask('ana', 'GET', `${PATH}/${byAlias}`)).result['actors']).toBe('');
  });
});

describe('a config that names an alias', () => {
  const ALIASES = '/actors/v2/aliases';
  const point = (as: Name, alias: string, actorId: string) =>
    service.ask(as, 'PUT', `${ALIASES}/${alias}`, { json: { actorId } });
  const mayUpdate = (as: Name, path: string, user: string) =>
    service.ask(as, 'POST', `/actors/v2/${path}/permissions`, { json: { user, level: 'UPDATE' } });
  /** An alias of an actor of ana that bob may move, a secret that is shared with it, and an actor of bob. */
  const shared = async (setter: 'ana' | 'admin') => {
    const [own, bobs] = [await service.actor('ana'), await service.actor('bob')];
    const alias = `shared-${own}`;
    await service.ask('ana', 'POST', ALIASES, { json: { alias, actorId: own } });
    await mayUpdate('ana', `aliases/${alias}`, 'bob');
    const name = await made(setter, { actors: alias, value: 'hunter2', is_secret: true });
    await grant(name, 'ana', 'UPDATE');
    return { own, bobs, alias, name, secret: { [name]: 'hunter2' } };
  };

  it.each([
    ['a user', 'ana', 'ana'],
    ['an admin', 'admin', 'root'],
  ] as const)(
    'R122 with a list set by %s follows a moved alias only if the user who moved it has UPDATE on the config',
    async (_, as, username) => {
      const { own, bobs, alias, name, secret } = await shared(as);
      await mayUpdate('ana', own, username);
      expect(JSON.parse(injected(own))).toEqual(secret);
      expect((await point('bob', alias, bobs)).status).toBe(200);
      await mayUpdate('bob', bobs, username);
      await grant(name, 'bob', 'READ');
      expect(JSON.parse(injected(bobs))).toEqual({});
      await grant(name, 'bob', 'UPDATE');
      expect(JSON.parse(injected(bobs))).toEqual(secret);
    },
  );
  it('R122 does not follow the alias to an actor on which the user who set the list has no UPDATE', async () => {
    const { bobs, alias, name, secret } = await shared('ana');
    await grant(name, 'bob', 'UPDATE');
    await point('bob', alias, bobs);
    expect(JSON.parse(injected(bobs))).toEqual({});
    await mayUpdate('bob', bobs, 'ana');
    expect(JSON.parse(injected(bobs))).toEqual(secret);
  });
  it('R122 needs a permission of the admin on the actor unless this admin set both list and alias', async () => {
    const { own, bobs, alias, secret } = await shared('admin');
    expect(JSON.parse(injected(own))).toEqual({});
    await point('admin', alias, bobs);
    expect(JSON.parse(injected(bobs))).toEqual(secret);
  });
  it('R122 does not follow an alias whose target an unknown user chose, until a user confirms the target', async () => {
    const { own, alias, secret } = await shared('ana');
    await service.store.transact((tx) => {
      const { pointedBy: _, ...earlier } = tx.get('aliases', nameKey('DEV', alias)) ?? expect.fail('no alias');
      tx.put('aliases', earlier);
    });
    expect(JSON.parse(injected(own))).toEqual({});
    expect((await point('ana', alias, own)).status).toBe(200);
    expect(JSON.parse(injected(own))).toEqual(secret);
    // A request that repeats the target of a known user changes nothing.
    await mayUpdate('ana', own, 'bob');
    expect((await point('bob', alias, own)).status).toBe(200);
    expect(JSON.parse(injected(own))).toEqual(secret);
  });
  it('R122 follows the alias again when a user who may share the config repeats its target', async () => {
    const { own, bobs, alias, secret } = await shared('ana');
    await mayUpdate('ana', own, 'bob');
    await point('bob', alias, bobs);
    await point('bob', alias, own);
    expect(JSON.parse(injected(own))).toEqual({});
    expect((await point('ana', alias, own)).json).toMatchObject({ message: expect.stringMatching(/^Alias confirmed/) });
    expect(JSON.parse(injected(own))).toEqual(secret);
    expect((await point('ana', alias, own)).json).toMatchObject({ message: expect.stringMatching(/^Alias unchanged/) });
  });
  it('R122 follows the alias while the user who last changed the list has UPDATE on the actor', async () => {
    const own = await service.actor('ana');
    const alias = `lists-${own.slice(0, 6)}`;
    await service.ask('ana', 'POST', '/actors/v2/aliases', { json: { alias, actorId: own } });
    const name = await made('bob', { value: 'v' });
    await grant(name, 'ana', 'UPDATE');
    const list = (as: Name, actors: string) =>
      service.ask(as, 'PUT', `${PATH}/${name}`, { json: { name, value: 'v', actors, is_secret: false } });
    expect((await list('ana', alias)).status).toBe(200);
    expect(JSON.parse(injected(own))).toEqual({ [name]: 'v' });
    // Repeating an unchanged list does not change the user who set it.
    expect((await list('bob', alias)).status).toBe(200);
    expect(JSON.parse(injected(own))).toEqual({ [name]: 'v' });
  });
});

describe('quotas', () => {
  it('R138 limit the configs of one user, and of no other user', async () => {
    const small = await startActorService({ quotas: { configs: 1 } });
    const put = (as: Name, name: string) =>
      small.ask(as, 'POST', PATH, { json: { name, value: 1, actors: '', is_secret: false } });
    expect((await put('ana', 'one')).status).toBe(200);
    expect(await put('ana', 'two')).toMatchObject(failed('QUOTA_EXCEEDED'));
    expect((await put('bob', 'two')).status).toBe(200);
    await small.ask('ana', 'DELETE', `${PATH}/one`);
    expect((await put('ana', 'three')).status).toBe(200);
    await small.close();
  });
});

describe('access to a config', () => {
  it('R129 belongs to its owner only at first, and admins need a permission too', async () => {
    const name = await made('ana');
    for (const who of ['bob', 'admin', 'otherAna', 'otherAdmin'] as const) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await service.ask(who, method, `${PATH}/${name}`, {
          ...(method === 'PUT' && { json: { name, value: 2, actors: '', is_secret: false } }),
        });
        expect(answer).toMatchObject({ status: 404, ...failed('NOT_FOUND', /no such config/) });
      }
      const list = await service.ask(who, 'GET', PATH);
      expect(list.text).not.toContain(`"${name}"`);
    }
    expect((await service.ask(undefined, 'GET', `${PATH}/${name}`)).status).toBe(401);
  });
  it('R129 with READ allows reading, with UPDATE changes, and a change with READ is 403', async () => {
    const name = await made('ana');
    await grant(name, 'bob', 'READ');
    expect((await service.ask('bob', 'GET', `${PATH}/${name}`)).status).toBe(200);
    expect((await service.ask('bob', 'GET', PATH)).text).toContain(`"${name}"`);
    const put = () =>
      service.ask('bob', 'PUT', `${PATH}/${name}`, { json: { name, value: 2, actors: '', is_secret: false } });
    expect(await put()).toMatchObject({ status: 403, ...failed('FORBIDDEN', /UPDATE/) });
    expect(await service.ask('bob', 'DELETE', `${PATH}/${name}`)).toMatchObject({ status: 403 });
    await grant(name, 'bob', 'UPDATE');
    expect((await put()).status).toBe(200);
    expect((await service.ask('bob', 'DELETE', `${PATH}/${name}`)).status).toBe(200);
    expect((await service.ask('ana', 'GET', `${PATH}/${name}`)).status).toBe(404);
  });
});

describe('replacing a config', () => {
  it('replaces all fields, and refuses another name or an incomplete description', async () => {
    const name = await made('ana', { actors: actor });
    const put = (json: Readonly<Record<string, unknown>>) => service.ask('ana', 'PUT', `${PATH}/${name}`, { json });
    expect(await put({ name, value: 2, actors: '', is_secret: false })).toMatchObject({
      status: 200,
      json: { result: { value: 2, actors: '', revision: 2 } },
    });
    expect(await put({ name: 'other', value: 2, actors: '', is_secret: false })).toMatchObject({
      status: 400,
      ...failed('VALIDATION', /^name /),
    });
    for (const left of ['name', 'value', 'actors', 'is_secret']) {
      const whole = { name, value: 2, actors: '', is_secret: false };
      expect((await put({ ...whole, [left]: undefined })).status).toBe(400);
    }
  });
  it('with If-Match succeeds for one of several simultaneous requests', async () => {
    const name = await made('ana', { value: 0 });
    const put = (value: number, version: string) =>
      service.ask('ana', 'PUT', `${PATH}/${name}`, {
        json: { name, value, actors: '', is_secret: false },
        headers: { 'if-match': version },
      });
    const answers = await Promise.all([1, 2, 3, 4].map((value) => put(value, '"1"')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect(await put(9, '1')).toMatchObject({ status: 409, ...failed('STALE_VERSION', /revision 2/) });
    expect(await put(9, 'soon')).toMatchObject({ status: 400 });
    expect((await put(9, '*')).status).toBe(200);
  });
});

describe('secret configs', () => {
  const SECRET = 'correct horse battery';
  it('R130 appear sealed in every response, and in clear for actors', async () => {
    const own = await service.actor('ana');
    const answer = await create('ana', { value: { password: SECRET }, is_secret: true, actors: own });
    const name = String(answer.result['name']);
    const shown = await service.ask('ana', 'GET', `${PATH}/${name}`);
    const list = await service.ask('ana', 'GET', PATH);
    const actorShown = await service.ask('ana', 'GET', `/actors/v2/${own}`);
    for (const { text } of [answer, shown, list, actorShown]) expect(text).not.toContain(SECRET);
    expect(answer.result).toMatchObject({ isSecret: true, is_secret: true });
    expect(answer.result['value']).toMatch(/^sealed:v1:[0-9a-f]{16}:[\w-]+$/);
    expect(JSON.parse(injected(own))).toEqual({ [name]: { password: SECRET } });
    expect(service.complaints.join('')).not.toContain(SECRET);
  });
  it('keep their value if the sealed text is sent back, and the sealed text is refused anywhere else', async () => {
    const own = await service.actor('ana');
    const answer = await create('ana', { value: SECRET, is_secret: true, actors: own });
    const { name, value } = answer.result;
    const put = (fields: Readonly<Record<string, unknown>>) =>
      service.ask('ana', 'PUT', `${PATH}/${String(name)}`, {
        json: { name, value, actors: own, is_secret: true, ...fields },
      });
    expect((await put({})).result['value']).toBe(value);
    expect(JSON.parse(injected(own))).toEqual({ [String(name)]: SECRET });
    expect(await put({ is_secret: false })).toMatchObject({ status: 400, ...failed('VALIDATION', /sealed text/) });
    expect((await put({ value: 'newer' })).status).toBe(200);
    expect(await put({})).toMatchObject({ status: 400, ...failed('VALIDATION', /not that of the current value/) });
    expect(await create('ana', { value, is_secret: true })).toMatchObject({ status: 400 });
    expect((await put({ value: 'open', is_secret: false })).result['value']).toBe('open');
  });
});
