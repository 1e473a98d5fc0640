// Nonces of aliases: the requests that they allow, and those that they never allow.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nameKey } from '../../../daemon/domain/records/resource-records.ts';
import { failed } from '../../support/service/actor-service.ts';
import { type NonceFixture, refused, startNonceFixture } from '../../support/service/nonces.ts';

let fixture: NonceFixture;
let service: NonceFixture['service'];
let actorId: string;
beforeEach(async () => {
  fixture = await startNonceFixture();
  ({ service, actorId } = fixture);
});
afterEach(() => service.close());

describe('a nonce of an alias', () => {
  it('R126 allows that alias in every path, and neither the actor by its id nor another alias', async () => {
    await fixture.alias('wc');
    await fixture.alias('wc2');
    const { result, secret, id } = await fixture.makeOn('wc');
    expect(result).toMatchObject({
      alias: 'wc',
      _links: { self: `${service.baseUrl}/actors/v2/aliases/wc/nonces/${id}` },
    });
    expect(Object.keys(result)).not.toContain('actorId');
    expect((await fixture.by(secret, 'GET', '/actors/v2/wc')).result).toMatchObject({ id: actorId });
    expect((await fixture.by(secret, 'POST', '/actors/v2/wc/messages', { form: { message: 'x' } })).status).toBe(200);
    expect((await fixture.by(secret, 'GET', '/actors/v2/aliases/wc/nonces')).json).toMatchObject({ result: [{ id }] });
    expect(fixture.uses(id)).toBe(3);
    for (const path of [`/actors/v2/${actorId}`, '/actors/v2/wc2', '/actors/v2/aliases/wc2/nonces']) {
      expect(await fixture.by(secret, 'GET', path)).toMatchObject(refused);
    }
    const actors = await fixture.make();
    expect(await fixture.by(actors.secret, 'GET', '/actors/v2/wc')).toMatchObject(refused);
    expect(await fixture.by(actors.secret, 'GET', '/actors/v2/aliases/wc/nonces')).toMatchObject(refused);
  });

  it('is not listed with the nonces of the actor, nor are those listed with the alias', async () => {
    const doubled = await service.actor('ana');
    await fixture.alias('apart', doubled);
    const ofAlias = await fixture.makeOn('apart');
    const ofActor = await fixture.make({}, doubled);
    const ids = async (path: string) =>
      ((await service.ask('ana', 'GET', path)).json as { result: { id: string }[] }).result.map(({ id }) => id);
    expect(await ids(`/actors/v2/${doubled}/nonces`)).toEqual([ofActor.id]);
    expect(await ids('/actors/v2/aliases/apart/nonces')).toEqual([ofAlias.id]);
    expect((await service.ask('ana', 'GET', `/actors/v2/aliases/apart/nonces/${ofActor.id}`)).status).toBe(404);
    expect((await service.ask('ana', 'DELETE', `/actors/v2/${doubled}/nonces/${ofAlias.id}`)).status).toBe(404);
    expect((await service.ask('ana', 'DELETE', `/actors/v2/aliases/apart/nonces/${ofAlias.id}`)).status).toBe(200);
    expect(await fixture.by(ofAlias.secret, 'GET', '/actors/v2/apart')).toMatchObject(refused);
  });

  it('R127 cannot have the level UPDATE', async () => {
    await fixture.alias('low');
    const answer = await service.ask('ana', 'POST', '/actors/v2/aliases/low/nonces', { json: { level: 'UPDATE' } });
    expect(answer).toMatchObject({ status: 400, ...failed('ALIAS_NONCE_LEVEL', /^level cannot be UPDATE/) });
    for (const level of ['NONE', 'READ', 'EXECUTE']) await fixture.makeOn('low', { level });
  });

  it('R127 needs UPDATE on the alias and the actor to be created, and READ on both to be shown', async () => {
    const guarded = await service.actor('ana');
    await fixture.alias('both', guarded);
    const share = (onAlias: 'NONE' | 'READ' | 'UPDATE', onActor: 'NONE' | 'READ' | 'UPDATE') =>
      service.store.transact((tx) => {
        const record = tx.get('aliases', nameKey('DEV', 'both'));
        const actor = tx.get('actors', guarded);
        if (record) tx.put('aliases', { ...record, permissions: { ana: 'UPDATE', bob: onAlias } });
        if (actor) tx.put('actors', { ...actor, permissions: { ana: 'UPDATE', bob: onActor } });
      });
    const path = '/actors/v2/aliases/both/nonces';
    for (const [onAlias, onActor, get, post] of [
      ['NONE', 'UPDATE', 404, 404],
      ['UPDATE', 'NONE', 404, 404],
      ['READ', 'READ', 200, 403],
      ['READ', 'UPDATE', 200, 403],
      ['UPDATE', 'READ', 200, 403],
      ['UPDATE', 'UPDATE', 200, 200],
    ] as const) {
      await share(onAlias, onActor);
      const got = await service.ask('bob', 'GET', path);
      const posted = await service.ask('bob', 'POST', path);
      expect([onAlias, onActor, got.status, posted.status]).toEqual([onAlias, onActor, get, post]);
      if (post === 403) expect(posted.text).toContain('you do not have access to this alias and actor');
    }
  });

  it('follows the alias to a new actor if its owner may use that actor', async () => {
    const second = await service.actor('ana');
    const foreign = await service.actor('bob');
    await fixture.alias('moving');
    const { secret } = await fixture.makeOn('moving');
    await fixture.alias('moving', second);
    expect((await fixture.by(secret, 'GET', '/actors/v2/moving')).result).toMatchObject({ id: second });
    await fixture.alias('moving', foreign);
    expect((await fixture.by(secret, 'GET', '/actors/v2/moving')).status).toBe(404);
  });

  it('R124 does not allow an actor whose id equals the name of the alias', async () => {
    const victim = await service.actor('ana');
    await fixture.alias(victim, actorId);
    const { secret } = await fixture.makeOn(victim);
    expect(await fixture.by(secret, 'GET', `/actors/v2/${victim}`)).toMatchObject(refused);
  });

  it('R123 does not allow the alias of the same name in another tenant', async () => {
    const theirs = await service.actor('otherAna');
    await fixture.alias('same');
    await fixture.alias('same', theirs, 'otherAna');
    const { secret } = await fixture.makeOn('same');
    expect((await fixture.by(secret, 'GET', '/actors/v2/same')).result).toMatchObject({ id: actorId });
    const { secret: other } = await fixture.makeOn('same', {}, 'otherAna');
    expect(other.startsWith('OTHER_')).toBe(true);
    expect((await fixture.by(other, 'GET', '/actors/v2/same')).result).toMatchObject({ id: theirs });
  });
});
