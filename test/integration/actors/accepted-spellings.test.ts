// Spellings of requests that the interface allows besides the usual one: forms of objects, aliases for ids, bare flags.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
let id: string;
beforeAll(async () => {
  service = await startActorService();
  id = await service.actor('ana', { name: 'first' });
  await service.ask('ana', 'POST', '/actors/v2/aliases', { form: { alias: 'counter', actorId: id } });
});
afterAll(() => service.close());

describe('default_environment of a form', () => {
  const register = (form: Readonly<Record<string, string>>) =>
    service.ask('ana', 'POST', '/actors/v2', { form: { image: 'abacosamples/wc', ...form } });

  it('has one form field per variable', async () => {
    const made = await register({
      'default_environment[A]': '1',
      'default_environment[B_2]': 'x=y',
      stateless: 'true',
    });
    expect(made).toMatchObject({ status: 200, result: { default_environment: { A: '1', B_2: 'x=y' } } });
    expect(made.json).toMatchObject({ message: expect.not.stringContaining('Ignored') });
    const put = await service.ask('ana', 'PUT', `/actors/v2/${String(made.result['id'])}`, {
      form: { image: 'abacosamples/wc', 'defaultEnvironment[C]': '3' },
    });
    expect(put.result).toMatchObject({ default_environment: { C: '3' } });
  });

  it('may be JSON text', async () => {
    const made = await register({ default_environment: '{"A": "1"}' });
    expect(made).toMatchObject({ status: 200, result: { default_environment: { A: '1' } } });
  });

  it.each([
    [{ default_environment: '{"A": ' }, 'default_environment must be a JSON object, written as text'],
    [{ default_environment: '[1]' }, 'default_environment must be an object'],
    [{ default_environment: '{"A": 1}' }, 'default_environment must be text'],
    [{ default_environment: '{"__proto__": "1"}' }, 'default_environment must not have a variable named __proto__'],
    [{ 'default_environment[__proto__]': '1' }, 'default_environment must not have a variable named __proto__'],
    [{ 'default_environment[a b]': '1' }, 'names must look like SHELL_NAMES'],
    [{ 'default_environment[]': '1' }, 'names must look like SHELL_NAMES'],
    [{ 'default_environment[MSG]': '1' }, 'default_environment must not set MSG'],
    [
      { default_environment: '{}', 'default_environment[A]': '1' },
      'must be sent either whole or as separate members, not both',
    ],
  ])('written as %j is refused with 400', async (form, message) => {
    const answer = await register(form);
    expect([answer.status, answer.json]).toMatchObject([400, { message: expect.stringContaining(message) }]);
  });

  it('may have brackets, while another name with brackets is an unknown field', async () => {
    const made = await register({ 'name[A]': '1' });
    expect(made.json).toMatchObject({ message: expect.stringContaining('Ignored unknown fields: name[A].') });
  });
});

describe('an alias in place of an actor id', () => {
  it('used as a target points another alias to its current actor', async () => {
    const made = await service.ask('ana', 'POST', '/actors/v2/aliases', {
      form: { alias: 'second', actorId: 'counter' },
    });
    expect(made).toMatchObject({ status: 200, result: { alias: 'second', actorId: id } });
    const other = await service.actor('ana');
    const moved = await service.ask('ana', 'PUT', '/actors/v2/aliases/counter', {
      form: { actorId: other, ifActorId: 'second' },
    });
    expect(moved.result).toMatchObject({ actorId: other });
    expect((await service.ask('ana', 'GET', '/actors/v2/aliases/second')).result).toMatchObject({ actorId: id });
    await service.ask('ana', 'PUT', '/actors/v2/aliases/counter', { form: { actorId: 'second' } });
    expect((await service.ask('ana', 'GET', '/actors/v2/aliases/counter')).result).toMatchObject({ actorId: id });
  });

  it('for an actor of another tenant or an unreadable actor is 404', async () => {
    for (const as of ['bob', 'otherAna'] as const) {
      const made = await service.ask(as, 'POST', '/actors/v2/aliases', { form: { alias: 'mine', actorId: 'counter' } });
      expect([as, made.status]).toEqual([as, 404]);
    }
  });

  it.each([
    ['executions', 'actorId=counter'],
    ['executions', 'actor_id.in=["counter","nothing"]'],
    ['actors', 'id=counter'],
  ])('is accepted in %s?%s', async (kind, query) => {
    await service.message('ana', id);
    const [name, value = ''] = query.split('=');
    const find = async (actor: string) =>
      (
        await service.ask(
          'ana',
          'GET',
          `/actors/v2/search/${kind}?${name}=${encodeURIComponent(value.replace('counter', actor))}`,
        )
      ).result['search'];
    const byAlias = await find('counter');
    expect(byAlias).not.toEqual([]);
    expect(byAlias).toEqual(await find(id));
  });

  it('of another tenant finds nothing', async () => {
    const found = await service.ask('otherAna', 'GET', '/actors/v2/search/executions?actorId=counter');
    expect(found.result['search']).toEqual([]);
  });
});

describe('an update with name', () => {
  it('renames the actor, and an update without name keeps it', async () => {
    const actor = await service.actor('ana', { name: 'old' });
    const put = (fields: Readonly<Record<string, string>>) =>
      service.ask('ana', 'PUT', `/actors/v2/${actor}`, { json: { image: 'abacosamples/wc', ...fields } });
    expect((await put({ name: 'new' })).result).toMatchObject({ name: 'new' });
    expect((await put({})).result).toMatchObject({ name: 'new' });
    expect((await put({ name: '' })).result).toMatchObject({ name: '' });
  });
});

describe('permissions of a config', () => {
  it('are granted in JSON only, and the response says that the permission was added', async () => {
    await service.ask('ana', 'POST', '/actors/v2/configs', {
      json: { name: 'db', value: 1, actors: id, is_secret: false },
    });
    const path = '/actors/v2/configs/db/permissions';
    const granted = await service.ask('ana', 'POST', path, { json: { user: 'bob', level: 'UPDATE' } });
    expect(granted.json).toMatchObject({
      message: 'Permission added successfully.',
      result: { ana: 'UPDATE', bob: 'UPDATE' },
    });
    const revoked = await service.ask('ana', 'POST', path, { json: { user: 'bob', level: 'NONE' } });
    expect(revoked.json).toMatchObject({ message: 'Permission revoked.' });
    expect((await service.ask('ana', 'POST', path, { form: { user: 'bob', level: 'READ' } })).status).toBe(415);
  });
});

describe('the flags naked and pretty', () => {
  it.each(['naked', 'naked=', 'naked=true', 'naked=True', 'naked=1', 'naked=yes'])(
    '?%s returns the bare result',
    async (flag) => {
      const bare = await service.ask('ana', 'GET', `/profiles/v2/me?${flag}`);
      expect(bare.json).toMatchObject({ username: 'ana' });
    },
  );

  it.each(['naked=false', 'naked=0', 'naked=no', 'naked=2'])('?%s returns the envelope', async (flag) => {
    expect((await service.ask('ana', 'GET', `/profiles/v2/me?${flag}`)).json).toMatchObject({ status: 'success' });
  });

  it.each(['pretty', 'pretty=yes', 'pretty=true&naked'])('?%s indents the response', async (flag) => {
    expect((await service.ask('ana', 'GET', `/profiles/v2/me?${flag}`)).text).toContain('\n  "');
  });
});
