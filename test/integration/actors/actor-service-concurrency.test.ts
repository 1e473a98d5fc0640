// 64 clients use the same aliases, configs, nonces and states at once. Their responses must match some serial order of
// the requests, and the store must hold the result of that order, also after it is reopened.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../daemon/store/store.ts';
import { step } from '../../support/model/actor-model.ts';
import { contentOf, contentOfStore } from '../../support/model/actor-model-content.ts';
import { askService, emptyDictionary, users } from '../../support/model/actor-model-requests.ts';
import { type Answer, emptyWorld, type Request, type World } from '../../support/model/actor-model-world.ts';
import { type Done, serialOrder } from '../../support/model/serial-order.ts';
import { startActorService } from '../../support/service/actor-service.ts';

const CLIENTS = 64;
const quotas = { actors: 10, aliases: 10, nonces: 12, configs: 10 };

/** Both are JSON values, in which a member that is undefined is absent. */
const equal = (actual: unknown, expected: unknown): boolean => isDeepStrictEqual(plain(actual), plain(expected));
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');
/**
 * Compares two responses. The id of a nonce that is created concurrently is unpredictable for the model, so it is
 * ignored.
 */
const isSame = (actual: Answer, expected: Answer): boolean => {
  const made = 'result' in actual && Object(actual.result)['id'] === '~';
  return equal(
    actual,
    made && 'result' in expected ? { ...expected, result: { ...Object(expected.result), id: '~' } } : expected,
  );
};

/**
 * One resource that clients use: the requests that concern it, and its part of the stored content. Resources do not
 * affect each other.
 */
interface Thing {
  readonly isMeant: (request: Request) => boolean;
  readonly at: readonly [kind: string, name: string];
}

const partOf = (content: unknown, { at: [kind, name] }: Thing): unknown => Object(Object(content)[kind])[name];

/**
 * Whether a request changed nothing. A refused request changes nothing, but a request with a nonce may have spent a
 * use.
 */
const isLook = ({ request, answer }: Done<Request, Answer>): boolean =>
  !request.as.startsWith('~') && (answer.status !== 200 || /\.(list|show)$/.test(request.does));

/**
 * Sends the requests of `beginning` one after the other. Then all clients send their requests, each client sequentially
 * and all clients at once. Checks the responses for each resource.
 */
const play = async (
  beginning: readonly Request[],
  client: (number: number) => readonly Request[],
  things: readonly Thing[],
) => {
  // On separate connections the responses arrive in the order of the decisions, which is the start of the search.
  const service = await startActorService({ quotas }, false);
  try {
    const words = emptyDictionary();
    let world = emptyWorld(users, quotas);
    for (const request of beginning) {
      const next = step(world, request);
      expect(await askService(service, words, request, world.made)).toEqual(next.answer);
      world = next.world;
    }
    const history: Done<Request, Answer>[] = [];
    let tick = 0;
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, number) => {
        for (const request of client(number)) {
          tick += 1;
          const askedAt = tick;
          const answer = await askService(service, words, request);
          tick += 1;
          history.push({ request, answer, askedAt, answeredAt: tick });
        }
      }),
    );
    const content = contentOfStore(service.dependencies, words);
    for (const thing of things) {
      const about = history.filter(({ request }) => thing.isMeant(request));
      const accepts = (end: World) => equal(partOf(content, thing), partOf(contentOf(end), thing));
      expect(serialOrder(about, world, { step, isSame, isLook, accepts }), String(thing.at)).toHaveLength(about.length);
    }
    expect(history.every(({ request }) => things.some(({ isMeant }) => isMeant(request)))).toBe(true);
    expect(service.complaints.filter((line) => !line.startsWith('nonce '))).toEqual([]);
    const { clock, logger, seal } = service.dependencies;
    await service.store.close();
    const store = await openStore({ folder: service.folder, clock, logger });
    try {
      expect(contentOfStore({ store, seal }, words)).toEqual(content);
    } finally {
      await store.close();
    }
    return history;
  } finally {
    await service.close();
  }
};

/** Gives each client `each` random requests, the same ones in every run. */
const dealt = (request: fc.Arbitrary<Request>, each: number) => {
  const all = fc.sample(request, { numRuns: CLIENTS * each, seed: 64 });
  return (client: number) => all.slice(client * each, (client + 1) * each);
};
const oneOf = (...requests: readonly Request[]) => fc.constantFrom(...requests);
const successes = (history: readonly Done<Request, Answer>[], does: Request['does']) =>
  history.filter(({ request, answer }) => request.does === does && answer.status === 200);

const threeActors: readonly Request[] = Array.from({ length: 3 }, () => ({
  does: 'actors.create',
  as: 'ana',
  stateless: false,
}));

describe('64 simultaneous clients get the responses of a serial order, which the store matches,', () => {
  it('for the same aliases', async () => {
    const names = ['red', 'blue', 'green', 'constructor'];
    const requests = names.flatMap((alias): Request[] => [
      ...['#0', '#1', '#2'].flatMap((target): Request[] => [
        { does: 'aliases.create', as: 'ana', alias, target },
        { does: 'aliases.update', as: 'ana', alias, target },
        { does: 'aliases.update', as: 'ana', alias, target, onlyFrom: '#0' },
      ]),
      { does: 'aliases.delete', as: 'ana', alias },
      { does: 'aliases.show', as: 'ana', alias },
      { does: 'actors.show', as: 'ana', actor: alias },
    ]);
    const things = names.map((alias): Thing => {
      const isMeant = (request: Request) => ('alias' in request ? request.alias : Object(request).actor) === alias;
      return { isMeant, at: ['aliases', `DEV/${alias}`] };
    });
    const history = await play(threeActors, dealt(oneOf(...requests), 6), things);
    for (const does of ['aliases.create', 'aliases.update', 'aliases.delete'] as const) {
      expect(successes(history, does).length).toBeGreaterThan(5);
    }
  });

  it('for the same configs', async () => {
    const actors = ['#0'];
    const requests: Request[] = [
      { does: 'configs.create', as: 'ana', config: 'db', value: '0', actors, secret: false },
      { does: 'configs.create', as: 'bob', config: 'db', value: '"bob"', actors: [], secret: true },
      ...[1, 2, 3].flatMap((number): Request[] => [
        { does: 'configs.update', as: 'ana', config: 'db', value: `${number}`, actors, secret: true },
        {
          does: 'configs.update',
          as: 'ana',
          config: 'db',
          value: `[${number}]`,
          actors,
          secret: false,
          ifVersion: number,
        },
      ]),
      { does: 'configs.update', as: 'bob', config: 'db', value: '{}', actors: [], secret: false },
      { does: 'configs.delete', as: 'ana', config: 'db' },
      { does: 'configs.delete', as: 'bob', config: 'db' },
      { does: 'configs.show', as: 'ana', config: 'db' },
    ];
    const db: Thing = { isMeant: () => true, at: ['configs', 'DEV/db'] };
    const history = await play(threeActors, dealt(oneOf(...requests), 6), [db]);
    for (const does of ['configs.create', 'configs.update', 'configs.delete'] as const) {
      expect(successes(history, does).length).toBeGreaterThan(5);
    }
  });

  it('for the same nonces, each used exactly as often as its limit', async () => {
    const beginning: readonly Request[] = [
      ...threeActors,
      { does: 'aliases.create', as: 'ana', alias: 'red', target: '#1' },
      // Used-up nonces make room under the quota of their owner, so those that are created are another user's.
      { does: 'permissions.grant', as: 'ana', actor: '#0', user: 'bob', level: 'UPDATE' },
      { does: 'permissions.grant', as: 'ana', actor: '#2', user: 'bob', level: 'UPDATE' },
      { does: 'nonces.create', as: 'ana', actor: '#0', level: 'EXECUTE', maxUses: 20 },
      { does: 'nonces.create', as: 'bob', actor: '#0', level: 'UPDATE' },
      { does: 'alias-nonces.create', as: 'ana', alias: 'red', maxUses: 5 },
    ];
    const requests: Request[] = [
      { does: 'messages.send', as: '~0', actor: '#0' },
      { does: 'messages.send', as: '~0', actor: '#0' },
      { does: 'messages.send', as: '~2', actor: 'red' },
      { does: 'nonces.create', as: 'bob', actor: '#2', maxUses: 1 },
      { does: 'nonces.show', as: 'ana', actor: '#0', nonce: '~0' },
      { does: 'nonces.delete', as: 'ana', actor: '#0', nonce: '~1' },
      { does: 'actors.show', as: '~1', actor: '#0' },
    ];
    const things = ['~0', '~1', '~2'].map((nonce): Thing => {
      const isMeant = (request: Request) =>
        request.as === nonce ||
        ('nonce' in request && request.nonce === nonce) ||
        // Deleting this nonce makes room for another under the quota.
        (nonce === '~1' && request.does === 'nonces.create');
      return { isMeant, at: ['nonces', nonce] };
    });
    const history = await play(beginning, dealt(oneOf(...requests), 4), things);
    const uses = (nonce: string) => successes(history, 'messages.send').filter(({ request }) => request.as === nonce);
    expect([uses('~0').length, uses('~2').length]).toEqual([20, 5]);
    expect(successes(history, 'nonces.delete').length).toBe(1);
    expect(successes(history, 'nonces.create').length).toBeGreaterThan(5);
  });

  it('for the same states, with consecutive versions', async () => {
    const beginning: readonly Request[] = [
      ...threeActors,
      { does: 'permissions.grant', as: 'ana', actor: '#0', user: 'bob', level: 'UPDATE' },
    ];
    // Every client expects the versions in order, so many clients expect the same version. Some requests expect none.
    const client = (number: number) =>
      Array.from({ length: 12 }, (_, ifVersion): Request[] => {
        const state = `"${number} ${ifVersion}"`;
        return [
          { does: 'state.set', as: number % 2 ? 'ana' : 'bob', actor: '#0', state, ifVersion },
          { does: 'state.show', as: 'bob', actor: '#0' },
          (number + ifVersion) % 8 === 0
            ? { does: 'state.set', as: 'ana', actor: '#1', state }
            : { does: 'state.show', as: 'ana', actor: '#1' },
        ];
      }).flat();
    const things = ['#0', '#1'].map((actor): Thing => {
      return { isMeant: (request) => 'actor' in request && request.actor === actor, at: ['actors', actor] };
    });
    const history = await play(beginning, client, things);
    const versions = (actor: string) =>
      successes(history, 'state.set')
        .filter(({ request }) => 'actor' in request && request.actor === actor)
        .map(({ answer }) => Number(Object('result' in answer ? answer.result : {})['stateVersion']))
        .sort((a, b) => a - b);
    for (const actor of ['#0', '#1']) {
      expect(versions(actor).length).toBeGreaterThan(5);
      expect(versions(actor)).toEqual(versions(actor).map((_, at) => at + 1));
    }
  });
});
