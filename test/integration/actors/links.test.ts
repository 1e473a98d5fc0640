// Links as seen from both ends, and the check before a link is set.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';
import type { Call } from '../../support/service/call.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

const actors = (fields = {}) => service.actor('ana', fields);

describe('links', () => {
  const links = async (actorId: string, as: 'ana' | 'bob' = 'ana') =>
    (await service.ask(as, 'GET', `/actors/v2/${actorId}/links`)).result;
  const check = async (actorId: string, target: string, as: 'ana' | 'bob' = 'ana') =>
    (await service.ask(as, 'GET', `/actors/v2/${actorId}/links/check?target=${target}`)).result;

  it('show the target and the sources of events, even through aliases', async () => {
    const end = await actors();
    const alias = `end-${end}`;
    await service.ask('ana', 'POST', '/actors/v2/aliases', { json: { alias, actorId: end } });
    const [one, two] = [await actors({ link: end }), await actors({ link: alias })];
    expect(await links(end)).toEqual({ link: null, out: null, in: [one, two] });
    expect(await links(two)).toEqual({ link: alias, out: end, in: [] });
    await service.ask('ana', 'POST', `/actors/v2/${end}/permissions`, { json: { user: 'bob', level: 'READ' } });
    expect(await links(end, 'bob')).toEqual({ link: null, out: null, in: [] });
    await service.ask('ana', 'DELETE', `/actors/v2/aliases/${alias}`);
    expect(await links(two)).toEqual({ link: alias, out: null, problem: `there is no actor "${alias}"`, in: [] });
  });

  /** The listing with details, of these actors. */
  const listed = async (...ids: string[]) => {
    const { json } = await service.ask('ana', 'GET', '/actors/v2?details=true');
    const { result } = json as { result: { id: string; linkProblem?: string }[] };
    return ids.map((id) => result.find((each) => each.id === id));
  };

  it('are listed for all actors by one request with details', async () => {
    const end = await actors();
    const [one, broken] = [await actors({ link: end }), await actors({ link: end })];
    const record = service.store.get('actors', broken);
    await service.store.transact((tx) => {
      if (record) tx.put('actors', { ...record, link: 'gone' });
    });
    const [first, second, last] = await listed(one, broken, end);
    expect(first).toMatchObject({ link: end, linkedActor: end });
    expect(second).toMatchObject({ link: 'gone', linkProblem: 'there is no actor "gone"' });
    for (const name of ['linkedActor', 'linkProblem']) expect(last).not.toHaveProperty(name);
  });

  it('that form a loop in imported records are listed with their problem', async () => {
    const [one, two] = [await actors(), await actors()];
    await service.store.transact((tx) => {
      for (const [id, link] of [
        [one, two],
        [two, one],
      ] as const) {
        const record = tx.get('actors', id);
        if (record) tx.put('actors', { ...record, link });
      }
    });
    const problems = (await listed(one, two)).map((each) => each?.linkProblem);
    expect(problems).toEqual([two, one].map((id) => expect.stringContaining(`"${id}" leads back`)));
  });

  it('R133 can be checked in advance: the check spells out the loop and changes nothing', async () => {
    const last = await actors({ name: 'last' });
    const middle = await actors({ name: 'middle', link: last });
    const first = await actors({ name: 'first', link: middle });
    expect(await check(last, first)).toMatchObject({
      allowed: false,
      code: 'LINK_CYCLE',
      path: ['last', 'first', 'middle', 'last'],
      why: expect.stringContaining('last -> first -> middle -> last'),
    });
    expect(await check(last, last)).toMatchObject({ allowed: false, code: 'LINK_CYCLE' });
    expect(await check(first, last)).toEqual({ allowed: true });
    expect(await check(first, 'nobody')).toMatchObject({ allowed: false, code: 'VALIDATION' });
    expect(await links(first)).toMatchObject({ out: middle });
  });

  it('are checked for the caller: the check requires UPDATE on the source and EXECUTE on the target', async () => {
    const [from, to] = [await actors(), await actors()];
    const grant = (actorId: string, level: string) =>
      service.ask('ana', 'POST', `/actors/v2/${actorId}/permissions`, { json: { user: 'bob', level } });
    await grant(from, 'READ');
    expect(await check(from, to, 'bob')).toMatchObject({ allowed: false, code: 'FORBIDDEN' });
    await grant(from, 'UPDATE');
    await grant(to, 'READ');
    expect(await check(from, to, 'bob')).toMatchObject({
      allowed: false,
      code: 'FORBIDDEN',
      why: expect.stringMatching(/EXECUTE/),
    });
    await grant(to, 'EXECUTE');
    expect(await check(from, to, 'bob')).toEqual({ allowed: true });
  });

  it.each(['READ', 'EXECUTE', 'UPDATE'] as const)(
    'R126 show a nonce of level %s no other actor, and the check says what the nonce can do',
    async (level) => {
      const [from, to] = [await actors(), await actors()];
      await actors({ link: from });
      const { result } = await service.ask('ana', 'POST', `/actors/v2/${from}/nonces`, { json: { level } });
      const by = (method: string, path: string, asked: Call = {}) =>
        service.ask(undefined, method, `/actors/v2/${from}${path}`, {
          ...asked,
          headers: { 'x-nonce': String(result['id']) },
        });
      expect((await by('GET', '/links')).result).toEqual({ link: null, out: null, in: [] });
      const verdicts = [await by('GET', `/links/check?target=${to}`), await by('GET', '/links/check?target=nobody')];
      const set = await by('PUT', '', { json: { image: 'alpine', link: to } });
      const why = `The nonce has the level ${level}, but UPDATE is needed to set a link.`;
      const refusal = { allowed: false, code: 'FORBIDDEN', why };
      expect([set.status, ...verdicts.map((verdict) => verdict.result)]).toEqual(
        level === 'UPDATE'
          ? [200, { allowed: true }, expect.objectContaining({ allowed: false, code: 'VALIDATION' })]
          : [403, refusal, refusal],
      );
    },
  );

  it('do not reveal the new actor of an alias if events may not reach it', async () => {
    const [open, secret] = [await service.actor('bob'), await service.actor('bob')];
    const alias = `moving-${open}`;
    await service.ask('bob', 'POST', '/actors/v2/aliases', { json: { alias, actorId: open } });
    await service.ask('bob', 'POST', `/actors/v2/${open}/permissions`, { json: { user: 'ana', level: 'EXECUTE' } });
    const from = await actors({ link: alias });
    await service.ask('bob', 'PUT', `/actors/v2/aliases/${alias}`, { json: { actorId: secret } });
    const event = await service.ask('ana', 'POST', `/actors/v2/${from}/events`, { json: { event_type: 'NOTICE' } });
    expect(event.result).toMatchObject({ linkProblem: expect.stringContaining(alias) });
    expect(await links(from)).toMatchObject({ out: null, problem: expect.stringContaining('no longer holds EXECUTE') });
    expect(JSON.stringify([event.result, await links(from)])).not.toContain(secret);
  });
});
