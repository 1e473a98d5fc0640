// Actors named in paths by their name: which actor that is, and what callers learn.
import { afterAll, describe, expect, it } from 'vitest';
import { ACTOR_NAME_HEADER } from '../../../src/contract/operation.ts';
import { type Name, tokenOf } from '../../support/service/actor-service.ts';
import { startAliasWorld } from '../../support/service/alias-world.ts';
import { begun } from '../../support/service/late-request.ts';

const world = await startAliasWorld();
const { service, fresh, make, shareActor } = world;
afterAll(() => service.close());

const headers = { [ACTOR_NAME_HEADER]: 'true' };
const pathOf = (text: string) => `/actors/v2/${encodeURIComponent(text)}`;
const shown = async (as: Name, text: string, more: object = { headers }) => {
  const { status, result } = await service.ask(as, 'GET', pathOf(text), more);
  return status === 200 ? result['id'] : status;
};
const send = (as: Name, text: string, more: object = { headers }) =>
  service.ask(as, 'POST', `${pathOf(text)}/messages`, { form: { message: 'hi' }, ...more });
const waiting = (id: string) => service.store.countBy('messages', 'actor', id);
const named = async (as: Name, name = fresh()) => ({ name, id: await service.actor(as, { name }) });

describe('R220 the name of an actor in a path', () => {
  it('is resolved only with the header, and only with its value "true"', async () => {
    const { name, id } = await named('ana');
    expect(await shown('ana', name)).toBe(id);
    expect(await shown('ana', name, {})).toBe(404);
    expect(await shown('ana', name, { headers: { [ACTOR_NAME_HEADER]: '1' } })).toBe(404);
    expect((await send('ana', name, {})).status).toBe(404);
    expect(waiting(id)).toBe(0);
  });

  it('accepts a message, and the response identifies the actor', async () => {
    const { name, id } = await named('ana');
    const { status, result } = await send('ana', name);
    const actor = { id, name, status: 'SUBMITTED', statusMessage: '' };
    expect([status, result['actor']]).toEqual([200, actor]);
    expect(result['_links']).toMatchObject({ messages: `${service.baseUrl}/actors/v2/${id}/messages` });
    expect((await send('ana', id)).result['actor']).toEqual(actor);
    expect((await send('ana', id, {})).result).not.toHaveProperty('actor');
    expect(waiting(id)).toBe(3);
  });

  it.each(['zwei Wörter', 'ж', 'a?b#c%2f&d', ' ', 'a:b@last', '__proto__'])('may be %j', async (text) => {
    const { id } = await named('ana', text);
    expect([(await send('ana', text)).status, waiting(id)]).toEqual([200, 1]);
  });

  it.each(['a/b', 'a\\b', 'a\tb', '../admin'])(
    'is not resolved if it contains separators or control characters: %j',
    async (text) => {
      const { id } = await named('ana', text);
      expect([(await send('ana', text)).status, waiting(id)]).toEqual([404, 0]);
    },
  );

  it('is used only if no id and no alias matches', async () => {
    const [byAlias, byName] = [await service.actor('ana'), await named('ana')];
    await make('ana', byName.name, byAlias);
    expect(await shown('ana', byName.name)).toBe(byAlias);
    const ofId = await named('ana', byAlias);
    expect(await shown('ana', byAlias)).toBe(byAlias);
    await send('ana', byName.name);
    expect([waiting(byAlias), waiting(byName.id), waiting(ofId.id)]).toEqual([1, 0, 0]);
  });

  it('is not resolved if it has the form of an id, whether or not such an actor exists', async () => {
    const { name, id } = await named('ana', 'Gone0Actor0id');
    expect([await shown('ana', name), (await send('ana', name)).status, waiting(id)]).toEqual([404, 404, 0]);
  });

  it('is used only if exactly one listed actor has it, or exactly one actor of the caller', async () => {
    const { name, id } = await named('ana');
    const bobs = await named('bob', name);
    expect([await shown('ana', name), await shown('bob', name)]).toEqual([id, bobs.id]);
    await shareActor(bobs.id, { ana: 'READ' });
    expect([await shown('ana', name), await shown('bob', name)]).toEqual([id, bobs.id]);
    const second = await named('ana', name);
    expect([await shown('ana', name), (await send('ana', name)).status]).toEqual([404, 404]);
    expect([id, bobs.id, second.id].map(waiting)).toEqual([0, 0, 0]);
    await shareActor(second.id, { priv: 'READ' });
    await shareActor(bobs.id, { priv: 'READ' });
    expect(await shown('priv', name)).toBe(404);
  });

  it.each(['its name', 'an alias'])(
    "means the caller's own actor, although another user published an actor as %s",
    async (how) => {
      const { name, id } = await named('ana');
      const bobs = await named('bob', how === 'its name' ? name : fresh());
      if (how === 'an alias') await make('bob', name, bobs.id);
      await shareActor(bobs.id, { ABACO_WORLD: 'EXECUTE' });
      expect([await shown('ana', name), (await send('ana', name)).status]).toEqual([id, 200]);
      expect([waiting(id), waiting(bobs.id)]).toEqual([1, 0]);
      // The caller has two actors of that name, and does not get the published one instead.
      await named('ana', name);
      expect([await shown('ana', name), (await send('ana', name)).status, waiting(bobs.id)]).toEqual([404, 404, 0]);
    },
  );

  it('with the value "own" reaches no actor of another user, by name, alias or id', async () => {
    const own = { headers: { [ACTOR_NAME_HEADER]: 'own' } };
    const { name, id } = await named('ana');
    await make('ana', `${name}-alias`, id);
    const bobs = await named('bob');
    await make('bob', `${bobs.name}-alias`, bobs.id);
    await shareActor(bobs.id, { ABACO_WORLD: 'EXECUTE' });
    for (const text of [name, `${name}-alias`, id]) expect((await send('ana', text, own)).status).toBe(200);
    for (const text of [bobs.name, `${bobs.name}-alias`, bobs.id, fresh()]) {
      expect([(await send('ana', text, own)).status, await shown('ana', text, own)]).toEqual([404, 404]);
    }
    expect([waiting(id), waiting(bobs.id)]).toEqual([3, 0]);
    expect((await send('ana', bobs.name)).status).toBe(200);
  });

  it('gives no access: a reader cannot send', async () => {
    const { name, id } = await named('bob');
    await shareActor(id, { ana: 'READ' });
    expect([await shown('ana', name), (await send('ana', name)).status, waiting(id)]).toEqual([id, 403, 0]);
    await shareActor(id, { ana: 'EXECUTE' });
    expect([(await send('ana', name)).status, waiting(id)]).toEqual([200, 1]);
  });

  it('reveals no actor and no alias that the caller may not read', async () => {
    const [hidden, hiddenAlias] = [await named('bob'), fresh()];
    await make('bob', hiddenAlias, hidden.id);
    const unknown = await service.ask('ana', 'GET', pathOf(fresh()), { headers });
    for (const text of [hidden.name, hiddenAlias]) {
      const { status, text: answer } = await service.ask('ana', 'GET', pathOf(text), { headers });
      expect([status, answer]).toEqual([unknown.status, unknown.text]);
      // With an actor of that name the caller gets it, as if nothing else had the name.
      const own = await named('ana', text);
      expect(await shown('ana', text)).toBe(own.id);
    }
    expect(await shown('otherAdmin', hidden.name)).toBe(404);
    // Lists of admins have no actors of others, and names are looked up in the list.
    expect(await shown('admin', hidden.name)).toBe(404);
  });

  it('is not resolved on the listener for programs written for the hosted platform', async () => {
    const { name } = await named('ana');
    expect((await service.askLegacy('ana', 'GET', pathOf(name), { headers })).status).not.toBe(200);
  });

  it('is not resolved for a request with a nonce, and the response does not name the actor', async () => {
    const { name, id } = await named('ana');
    const made = await service.ask('ana', 'POST', `${pathOf(id)}/nonces`, { form: { level: 'EXECUTE' } });
    const withNonce = { headers: { ...headers, 'x-nonce': String(made.result['id']) } };
    const as = (text: string) =>
      service.ask(undefined, 'POST', `${pathOf(text)}/messages`, { form: { message: 'hi' }, ...withNonce });
    expect((await as(name)).status).toBe(401);
    const { status, result } = await as(id);
    expect([status, result['actor'], waiting(id)]).toEqual([200, undefined, 1]);
  });

  it('means the same actor after a late body, although another actor has the name by then', async () => {
    const { name, id } = await named('ana');
    const asked = () =>
      begun(service.baseUrl, `${pathOf(name)}/messages`, `Bearer ${tokenOf('ana')}`, '{"message":"hi"}', headers);
    const [late, refused] = [await asked(), await asked()];
    const rename = (to: string) =>
      service.store.transact((tx) => {
        const actor = tx.get('actors', id);
        if (actor) tx.put('actors', { ...actor, name: to });
      });
    await rename(fresh());
    const other = await named('ana', name);
    expect([await late.finish(), waiting(id), waiting(other.id)]).toEqual([200, 1, 0]);
    await shareActor(id, { ana: 'NONE' });
    expect([await refused.finish(), waiting(id), waiting(other.id)]).toEqual([404, 1, 0]);
  });

  it('R84 without the header, means the actor of the alias after a late body, even for a caller with an actor of that name', async () => {
    const { id } = await named('bob');
    const own = await named('ana');
    await make('bob', own.name, id);
    await shareActor(id, { ana: 'EXECUTE' });
    const late = await begun(
      service.baseUrl,
      `${pathOf(own.name)}/messages`,
      `Bearer ${tokenOf('ana')}`,
      '{"message":"hi"}',
    );
    await shareActor(id, { ana: 'NONE' });
    expect([await late.finish(), waiting(id), waiting(own.id)]).toEqual([404, 0, 0]);
  });
});
