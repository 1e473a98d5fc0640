// Setting links and webhooks over HTTP: allowed targets, needed permissions, and the refusal of loops.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, failed, type Name, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

const put = (as: Name, id: string, json: Readonly<Record<string, unknown>>) =>
  service.ask(as, 'PUT', `/actors/v2/${id}`, { json: { image: 'alpine', ...json } });
const share = (id: string, user: string, level: string) =>
  service.ask('ana', 'POST', `/actors/v2/${id}/permissions`, { json: { user, level } });
const alias = (name: string, actorId: string) =>
  service.ask('ana', 'POST', '/actors/v2/aliases', { json: { alias: name, actorId } });
const cycle = failed('LINK_CYCLE', /this update would result in a cycle of linked actors/);

describe('a link', () => {
  it('is shown as it was set by registration or update, and is removed by an omitted or empty one', async () => {
    const target = await service.actor('ana');
    await alias('report', target);
    const id = await service.actor('ana', { link: target });
    const shown = async () => (await service.ask('ana', 'GET', `/actors/v2/${id}`)).result['link'];
    expect(await shown()).toBe(target);
    expect((await put('ana', id, { link: 'report' })).result).toMatchObject({ link: 'report' });
    expect((await put('ana', id, {})).result).toMatchObject({ link: '' });
    await put('ana', id, { link: 'report' });
    expect((await put('ana', id, { link: '' })).result).toMatchObject({ link: '' });
  });

  it('is refused in the same way if the target is absent, in another tenant, or unreadable', async () => {
    const hidden = await service.actor('bob');
    const elsewhere = await service.actor('otherAna');
    const id = await service.actor('ana');
    for (const link of [
      hidden,
      elsewhere,
      'nobody',
      '..',
      'a/b',
      '__proto__',
      'constructor',
      '\u202e',
      'x'.repeat(1_000),
    ]) {
      expect(await put('ana', id, { link })).toMatchObject({
        status: 400,
        ...failed('VALIDATION', /^link .* is not an actor/),
      });
    }
    expect((await put('ana', id, { link: 'x'.repeat(2_000) })).status).toBe(400);
    expect((await service.ask('ana', 'POST', '/actors/v2', { json: { image: 'alpine', link: hidden } })).status).toBe(
      400,
    );
  });

  it('needs EXECUTE on the target, READ is not enough, and an admin may set any link', async () => {
    const target = await service.actor('ana');
    const id = await service.actor('bob');
    await share(target, 'bob', 'READ');
    expect(await put('bob', id, { link: target })).toMatchObject({ status: 403, ...failed('FORBIDDEN', /EXECUTE/) });
    const made = await service.ask('bob', 'POST', '/actors/v2', { form: { image: 'alpine', link: target } });
    expect(made).toMatchObject({ status: 403, ...failed('FORBIDDEN', /EXECUTE/) });
    await share(target, 'bob', 'EXECUTE');
    expect((await put('bob', id, { link: target })).status).toBe(200);
    expect((await put('admin', await service.actor('admin'), { link: target })).status).toBe(200);
  });

  it('can be repeated unchanged without EXECUTE, and keeps the user who set it', async () => {
    const target = await service.actor('ana');
    const id = await service.actor('ana', { link: target });
    await share(id, 'bob', 'UPDATE');
    expect((await put('bob', id, { link: target, description: 'd' })).result).toMatchObject({ link: target });
    expect(service.store.get('actors', id)?.linkSetBy).toBe('ana');
  });
});

describe('R133 a loop of links', () => {
  it('of one actor is refused, by id and by alias', async () => {
    const id = await service.actor('ana');
    await alias('myself', id);
    for (const link of [id, 'myself']) {
      expect(await put('ana', id, { link })).toMatchObject({ status: 400, ...cycle });
    }
    expect((await put('ana', id, {})).result).toMatchObject({ link: '' });
  });

  it('of any length is refused, and the refusal spells out the loop', async () => {
    const last = await service.actor('ana', { name: 'last' });
    let id = last;
    for (let at = 0; at < 20; at += 1) id = await service.actor('ana', { name: `n${at}`, link: id });
    const answer = await put('ana', last, { link: id });
    expect(answer).toMatchObject({ status: 400, ...cycle });
    expect(answer.json).toMatchObject({ message: expect.stringMatching(/last -> n19 -> .* -> n0 -> last/) });
  });

  it('closed by a new or changed alias is refused, and nothing changes', async () => {
    const [a, b, c] = [await service.actor('ana'), await service.actor('ana'), await service.actor('ana')];
    await alias('loop-way', c);
    await put('ana', a, { link: b });
    await put('ana', b, { link: 'loop-way' });
    const moved = await service.ask('ana', 'PUT', '/actors/v2/aliases/loop-way', { json: { actorId: a } });
    expect(moved).toMatchObject({ status: 400, ...cycle });
    expect((await service.ask('ana', 'GET', '/actors/v2/aliases/loop-way')).result).toMatchObject({ actorId: c });
    // The target of the link is gone. A new alias of the same name must not close the loop.
    await service.ask('ana', 'DELETE', '/actors/v2/aliases/loop-way');
    expect(await alias('loop-way', a)).toMatchObject({ status: 400, ...cycle });
    expect((await alias('loop-way', c)).status).toBe(200);
  });

  it('is refused without the names of actors that the caller may not read', async () => {
    const mine = await service.actor('ana', { name: 'mine' });
    const secret = await service.actor('bob', { name: 'secret' });
    await service.ask('bob', 'POST', `/actors/v2/${secret}/permissions`, { json: { user: 'ana', level: 'EXECUTE' } });
    const between = await service.actor('bob', { name: 'between', link: secret });
    await service.ask('bob', 'POST', `/actors/v2/${between}/permissions`, { json: { user: 'ana', level: 'EXECUTE' } });
    await put('ana', mine, { link: between });
    await share(mine, 'bob', 'EXECUTE');
    await service.ask('bob', 'POST', `/actors/v2/${between}/permissions`, { json: { user: 'ana', level: 'NONE' } });
    const answer = await put('bob', secret, { link: mine });
    expect(answer).toMatchObject({ status: 400, ...cycle });
    await service.ask('ana', 'POST', `/actors/v2/${mine}/permissions`, { json: { user: 'bob', level: 'UPDATE' } });
    await service.ask('bob', 'POST', `/actors/v2/${secret}/permissions`, { json: { user: 'ana', level: 'UPDATE' } });
    const refusal = await put('ana', secret, { link: mine });
    expect(refusal).toMatchObject({ status: 400, ...cycle });
    expect(refusal.text).toContain('mine');
    expect(refusal.text).not.toContain('between');
  });

  it('is never created by simultaneous updates', async () => {
    const ids = await Promise.all(Array.from({ length: 16 }, () => service.actor('ana')));
    const answers = await Promise.all(
      ids.flatMap((id, at) => [1, 3, 7].map((step) => put('ana', id, { link: ids[(at + step) % ids.length] }))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]));
    for (const id of ids) {
      const way = new Set<string>();
      for (let at: string | undefined = id; at !== undefined; at = service.store.get('actors', at)?.link) {
        expect(way.has(at)).toBe(false);
        way.add(at);
      }
    }
  });
});

describe('a webhook', () => {
  it('is shown as it was set, and is removed by an omitted or empty one', async () => {
    const webhook = 'http://127.0.0.1:9000/hook?a=b';
    const id = await service.actor('ana', { webhook });
    expect((await service.ask('ana', 'GET', `/actors/v2/${id}`)).result).toMatchObject({ webhook });
    expect((await put('ana', id, {})).result).toMatchObject({ webhook: '' });
    expect((await put('ana', id, { webhook: 'https://example.org' })).result).toMatchObject({
      webhook: 'https://example.org',
    });
  });

  it.each(['ftp://example.org', 'http://user:pw@example.org/', 'http://169.254.169.254/', 'nowhere', 'http://0x0/'])(
    'R134 %s is refused at registration and update, and no password is repeated',
    async (webhook) => {
      const made = await service.ask('ana', 'POST', '/actors/v2', { json: { image: 'alpine', webhook } });
      expect(made).toMatchObject({ status: 400, ...failed('VALIDATION', /^webhook /) });
      expect(made.text).not.toContain('pw@');
      expect((await put('ana', await service.actor('ana'), { webhook })).status).toBe(400);
    },
  );
});

describe('R138 quotas', () => {
  it('limit aliases, nonces and configs as well', async () => {
    const small = await startActorService({ quotas: { aliases: 1, nonces: 1, configs: 1 } });
    try {
      const id = await small.actor('ana');
      for (const [kind, path, body] of [
        ['aliases', '/actors/v2/aliases', (name: string) => ({ alias: name, actorId: id })],
        ['nonces', `/actors/v2/${id}/nonces`, () => ({})],
        ['configs', '/actors/v2/configs', (name: string) => ({ name, value: 1, actors: '', is_secret: false })],
      ] as const) {
        expect((await small.ask('ana', 'POST', path, { json: body('first') })).status).toBe(200);
        expect(await small.ask('ana', 'POST', path, { json: body('second') })).toMatchObject({
          status: 409,
          ...failed('QUOTA_EXCEEDED', new RegExp(`1 ${kind}`)),
        });
      }
    } finally {
      await small.close();
    }
  });

  it('limit the resources of one user, and of no other user', async () => {
    const small = await startActorService({ quotas: { actors: 2 } });
    try {
      const [first] = [await small.actor('ana'), await small.actor('ana')];
      const third = await small.ask('ana', 'POST', '/actors/v2', { json: { image: 'alpine' } });
      expect(third).toMatchObject({ status: 409, ...failed('QUOTA_EXCEEDED', /2 actors/) });
      await small.actor('bob');
      await small.actor('otherAna');
      await small.ask('ana', 'DELETE', `/actors/v2/${first}`);
      await small.actor('ana');
    } finally {
      await small.close();
    }
  });
});
