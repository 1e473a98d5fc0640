// Refusals in the dialect of the hosted platform, compared with those of the main listener to the same requests.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';
import { statusAndMessage } from '../../support/service/both-listeners.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

const both = (...asked: Parameters<ActorService['ask']>) => statusAndMessage(service, ...asked);

describe('refusals on the legacy listener', () => {
  it('of permission and of conflicts are 400, with the same failure code', async () => {
    const id = await service.actor('ana');
    await service.ask('ana', 'POST', `/actors/v2/${id}/permissions`, { form: { user: 'bob', level: 'READ' } });
    const text = expect.stringMatching(/^you do not have access to this actor: the level EXECUTE/);
    const send = { form: { message: 'x' } };
    expect(await both('bob', 'POST', `/actors/v2/${id}/messages`, send)).toEqual([
      [403, text],
      [400, text],
    ]);
    const { headers } = await service.askLegacy('bob', 'POST', `/actors/v2/${id}/messages`, send);
    expect(headers['x-failure-code']).toBe('FORBIDDEN');
    await service.ask('ana', 'POST', '/actors/v2/aliases', { form: { alias: 'taken', actorId: id } });
    const again = { form: { alias: 'taken', actorId: id } };
    const exists = expect.stringContaining('already exists');
    expect(await both('ana', 'POST', '/actors/v2/aliases', again)).toEqual([
      [409, exists],
      [400, exists],
    ]);
  });

  it('of hidden resources are 400 with the text of the platform', async () => {
    const id = await service.actor('ana');
    await service.ask('ana', 'POST', '/actors/v2/aliases', { form: { alias: 'hidden', actorId: id } });
    const none = expect.stringMatching(/^There is no such/);
    const denied = (what: string) => [
      [404, none],
      [400, `you do not have access to this ${what}`],
    ];
    expect(await both('bob', 'GET', `/actors/v2/${id}`)).toEqual(denied('actor'));
    expect(await both('bob', 'GET', '/actors/v2/aliases/hidden')).toEqual(denied('alias'));
    expect(await both('bob', 'GET', '/actors/v2/aliases/hidden/nonces')).toEqual(denied('alias and actor'));
    expect(await both('bob', 'GET', '/actors/v2/Aaaaaaaaaaaaa')).toEqual(denied('actor'));
    expect(await both('admin', 'GET', '/actors/v2/Aaaaaaaaaaaaa')).toEqual([
      [404, none],
      [404, none],
    ]);
    expect(await both('bob', 'GET', '/actors/v2/no-such-alias')).toEqual([
      [404, none],
      [404, none],
    ]);
  });

  it('of an alias to an actor without UPDATE have the text that clients compare', async () => {
    const own = await service.actor('bob');
    const foreign = await service.actor('ana');
    await service.ask('bob', 'POST', '/actors/v2/aliases', { form: { alias: 'moving', actorId: own } });
    const text = 'ou do not have UPDATE access to the actor you want to associate with this alias';
    const move = { form: { actorId: foreign } };
    const [main, legacy] = await both('bob', 'PUT', '/actors/v2/aliases/moving', move);
    expect([main?.[0], legacy]).toEqual([404, [400, text]]);
    await service.ask('ana', 'POST', `/actors/v2/${foreign}/permissions`, { form: { user: 'bob', level: 'READ' } });
    const refused = await both('bob', 'PUT', '/actors/v2/aliases/moving', move);
    expect(refused).toEqual([
      [403, `y${text}. Ask its owner for it.`],
      [400, `${text}. Ask its owner for it.`],
    ]);
  });

  it('of the state of a stateless actor are 404', async () => {
    const id = await service.actor('ana');
    const words = 'actor is stateless.';
    expect(await both('ana', 'POST', `/actors/v2/${id}/state`, { json: {} })).toEqual([
      [400, words],
      [404, words],
    ]);
    // A registration with a state is a wrong request as on the main listener.
    const json = { image: 'alpine', state: { n: 1 } };
    expect((await both('ana', 'POST', '/actors/v2', { json })).map(([status]) => status)).toEqual([400, 400]);
  });

  it('of credentials are the same as on the main listener', async () => {
    const [main, legacy] = await both(undefined, 'GET', '/actors/v2');
    expect([main?.[0], legacy]).toEqual([401, main]);
  });
});
