// The state of actors over HTTP: any JSON value is stored exactly as sent, permissions, and refused values.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, failed, startActorService } from '../../support/service/actor-service.ts';
import { type Call, typed } from '../../support/service/call.ts';
import { at, sent, stateCalls } from '../../support/service/state-calls.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService({ stateLimit: 64 * 1024 });
});
afterAll(() => service.close());

const { get, set, stateful } = stateCalls(() => service);

describe('the state of an actor', () => {
  it('is {} in version 0 before the first change, even of a stateless actor', async () => {
    for (const actor of [await stateful(), await service.actor('ana')]) {
      const answer = await get(actor);
      expect(answer.result).toEqual({
        version: 0,
        updatedAt: expect.stringMatching(/Z$/),
        updatedBy: 'ana',
        state: {},
      });
      expect(answer.headers['etag']).toBe('"0"');
    }
  });

  const values: [string, string][] = [
    ['null', 'null'],
    ['zero', '0'],
    ['an empty text', '""'],
    ['false', 'false'],
    ['an empty list', '[]'],
    ['a member named __proto__', '{"__proto__":{"admin":true},"constructor":1}'],
    ['white space and member order', ' { "b" : 1,\n "a":2, "10":3, "9":4 }\n'],
    ['numbers with more digits than a double', '[9007199254740993,1e400,0.1000000000000000055511151231257827,-0]'],
    ['a repeated member', '{"a":1,"a":2}'],
    ['a lone surrogate', '"\\ud800"'],
    ['replacement patterns', '"$& $1 $` json-text:0"'],
    ['control characters and other scripts', '"\\u0000 \\u202e ž 🙂"'],
  ];
  it.each(values)('R132 stores %s exactly as sent', async (_name, text) => {
    const actor = await stateful();
    const answer = await set(actor, text);
    expect(answer.status).toBe(200);
    expect(answer.result).toMatchObject({ id: actor, stateVersion: 1 });
    const shown = await get(actor);
    expect(shown.text).toContain(`"state":${text}}`);
    expect((await service.ask('ana', 'GET', `${at(actor)}?as=text`)).result['state']).toBe(text);
    const listed = await service.ask('ana', 'GET', `/actors/v2/${actor}`);
    for (const { text: body } of [answer, listed]) expect(body).toContain(`"state":${text},`);
    expect((await service.ask('ana', 'GET', `${at(actor)}?naked=true&pretty=true`)).text).toContain(
      `"state": ${text}\n`,
    );
  });

  const exact = '{ "n": 9007199254740993, "big": [1e400], "n": 1.50 }';
  const asText = encodeURIComponent(exact);
  const form = typed('application/x-www-form-urlencoded', `image=alpine&stateless=false&state=${asText}`);
  const described: [string, Call, string][] = [
    ['JSON', sent(`{"image":"alpine", "stateless":false, "state" : ${exact} }`), ''],
    ['JSON that has it as text', { json: { image: 'alpine', stateless: false, state: exact } }, ''],
    ['a form', form, ''],
    ['the query', sent('{"image":"alpine","stateless":false}'), `?state=${asText}`],
  ];
  it.each(described)('R132 in a registration or update in %s is stored exactly as sent', async (_name, call, query) => {
    const made = await service.ask('ana', 'POST', `/actors/v2${query}`, call);
    const updated = await stateful();
    await service.ask('ana', 'PUT', `/actors/v2/${updated}${query}`, call);
    for (const actor of [String(made.result['id']), updated]) {
      expect((await get(actor)).text).toContain(`"state":${exact}}`);
    }
  });

  it('is refused in the form of a registration if it is nested deeper than 64 levels', async () => {
    const state = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const refused = await service.ask('ana', 'POST', '/actors/v2', {
      form: { image: 'alpine', stateless: 'false', state },
    });
    expect(refused).toMatchObject({ status: 400, ...failed('MALFORMED_BODY', /64 levels/) });
  });

  it('R132 of a stateless actor may be sent back empty, however it is written', async () => {
    const actor = await service.actor('ana');
    const put = (state: string) =>
      service.ask('ana', 'PUT', `/actors/v2/${actor}`, sent(`{"image":"alpine","state":${state}}`));
    for (const state of ['{}', '{ \n }', 'null']) expect((await put(state)).status).toBe(200);
    expect(await put('{"a":1}')).toMatchObject(failed('ACTOR_STATELESS'));
  });

  it('R132 is refused to a stateless actor with the standard message, before the body is read', async () => {
    const actor = await service.actor('ana');
    for (const body of ['{"a":1}', 'no json', '']) {
      const answer = await set(actor, body);
      expect(answer).toMatchObject({
        status: 400,
        headers: { 'x-failure-code': 'ACTOR_STATELESS' },
        json: { message: 'actor is stateless.' },
      });
    }
    const form = await service.ask('ana', 'POST', at(actor), { form: { state: '1' } });
    expect(form.json).toMatchObject({ message: 'actor is stateless.' });
    expect(await service.ask('ana', 'POST', at(actor, '/versions/0'))).toMatchObject(failed('ACTOR_STATELESS'));
  });

  const bad: [string, Call, number, string][] = [
    ['nothing', {}, 400, 'VALIDATION'],
    ['malformed JSON', sent('{"a":'), 400, 'MALFORMED_BODY'],
    ['bytes that are not UTF-8', typed('application/json', Buffer.from([0x22, 0xff, 0x22])), 400, 'MALFORMED_BODY'],
    ['10 000 levels', sent('['.repeat(10_000) + ']'.repeat(10_000)), 400, 'MALFORMED_BODY'],
    ['a form', { form: { state: '{}' } }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['text', typed('text/plain', '{}'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a value above the size limit', sent(`"${'x'.repeat(64 * 1024)}"`), 413, 'PAYLOAD_TOO_LARGE'],
    ['an invalid version', sent('1', { 'if-match': 'yesterday' }), 400, 'VALIDATION'],
  ];
  it.each(bad)('refuses %s and stays unchanged', async (_name, call, status, code) => {
    const actor = await stateful();
    await set(actor, '7');
    const answer = await service.ask('ana', 'POST', at(actor), call);
    expect(answer).toMatchObject({ status, ...failed(code) });
    expect((await get(actor)).result).toMatchObject({ version: 1, state: 7 });
  });

  it('names its size limit when it refuses a larger one', async () => {
    const actor = await stateful();
    const exact = `"${'x'.repeat(64 * 1024 - 2)}"`;
    expect((await set(actor, exact)).status).toBe(200);
    expect((await set(actor, `${exact} `)).json).toMatchObject({ message: expect.stringContaining('65536 bytes') });
  });

  it('R112 has the same limit in a registration or update', async () => {
    const actor = await stateful();
    const state = { text: 'x'.repeat(64 * 1024) };
    const made = await service.ask('ana', 'POST', '/actors/v2', { json: { image: 'alpine', stateless: false, state } });
    const put = await service.ask('ana', 'PUT', `/actors/v2/${actor}`, { json: { image: 'alpine', state } });
    expect([made, put]).toMatchObject([failed('PAYLOAD_TOO_LARGE'), failed('PAYLOAD_TOO_LARGE')]);
    expect((await get(actor)).result).toMatchObject({ version: 0 });
  });

  it('R122 needs READ to be read and UPDATE to be set, and is hidden from other users', async () => {
    const actor = await stateful();
    const grant = (level: 'READ' | 'EXECUTE' | 'UPDATE') =>
      service.store.transact((tx) => {
        const record = tx.get('actors', actor);
        if (record) tx.put('actors', { ...record, permissions: { ...record.permissions, bob: level } });
      });
    expect((await get(actor, 'bob')).status).toBe(404);
    expect((await set(actor, '1', {}, 'bob')).status).toBe(404);
    await grant('READ');
    expect((await get(actor, 'bob')).status).toBe(200);
    await grant('EXECUTE');
    expect((await set(actor, '1', {}, 'bob')).status).toBe(403);
    expect((await service.ask('bob', 'POST', at(actor, '/versions/0'))).status).toBe(403);
    await grant('UPDATE');
    expect((await set(actor, '1', {}, 'bob')).status).toBe(200);
    expect((await get(actor)).result).toMatchObject({ updatedBy: 'bob', version: 1 });
    for (const stranger of ['otherAna', 'otherAdmin'] as const) expect((await get(actor, stranger)).status).toBe(404);
    expect((await service.ask(undefined, 'GET', at(actor))).status).toBe(401);
  });
});
