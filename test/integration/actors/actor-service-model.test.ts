// Property test: any sequence of requests by users of two tenants gets the responses and leaves the content that a
// model predicts. A failure prints the seed and the path that reproduce it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { step } from '../../support/model/actor-model.ts';
import { contentOf, contentOfStore } from '../../support/model/actor-model-content.ts';
import { askService, emptyDictionary, users } from '../../support/model/actor-model-requests.ts';
import { emptyWorld, type Request } from '../../support/model/actor-model-world.ts';
import { examples, examplesAsked } from '../../support/runner/examples.ts';
import { startActorService } from '../../support/service/actor-service.ts';

/** Low limits, so that runs reach them. */
const quotas = { actors: 5, aliases: 2, nonces: 4, configs: 2 };

/** Names of resources from the setup are more frequent than names of resources that a run may create. */
const id = fc.constantFrom('#0', '#0', '#0', '#1', '#1', '#2', '#3', '#3', '#4');
const nonce = fc.constantFrom('~0', '~0', '~1', '~1', '~2', '~3');
const alias = fc.constantFrom('red', 'red', 'blue', 'constructor');
const actor = fc.oneof({ weight: 4, arbitrary: id }, { weight: 1, arbitrary: alias });
const config = fc.constantFrom('db', '__proto__');
const person = fc.oneof(
  { weight: 5, arbitrary: fc.constant('ana') },
  { weight: 4, arbitrary: fc.constant('bob') },
  { weight: 1, arbitrary: fc.constantFrom('admin', 'otherAna', 'otherAdmin') },
);
const as = fc.oneof({ weight: 6, arbitrary: person }, { weight: 1, arbitrary: nonce });
const user = fc.constantFrom('ana', 'bob', 'bob', 'root', 'nobody', 'ABACO_WORLD');
const level = fc.constantFrom('NONE' as const, 'READ' as const, 'EXECUTE' as const, 'UPDATE' as const);
const maxUses = fc.constantFrom(-1, 1, 2);
const version = fc.integer({ min: 0, max: 3 });
const value = fc.jsonValue({ maxDepth: 2 }).map((each) => JSON.stringify(JSON.parse(JSON.stringify(each))));
const object = fc
  .dictionary(fc.constantFrom('n', '__proto__', 'constructor'), fc.nat(9), { maxKeys: 2 })
  .map((each) => JSON.stringify(each));
const actors = fc.uniqueArray(actor, { maxLength: 2 });
const secret = fc.boolean();
const image = fc.constantFrom('alpine', 'busybox');
const description = fc.constantFrom('one', 'two');

/** Generates requests of one kind. Each field of `optional` is omitted in most of them. */
const kind = <V extends Request['does'], T extends object, O extends object = object>(
  weight: number,
  does: V,
  needed: { [K in keyof T]: fc.Arbitrary<T[K]> },
  optional: { [K in keyof O]: fc.Arbitrary<O[K]> } = {} as { [K in keyof O]: fc.Arbitrary<O[K]> },
) => ({
  weight,
  arbitrary: fc
    .tuple(as, fc.record(needed), fc.record(optional, { requiredKeys: [] }), fc.nat(2))
    .map(([by, must, may, chance]) => ({ does, as: by, ...must, ...(chance === 0 && may) }) as Request),
});

const request: fc.Arbitrary<Request> = fc.oneof(
  kind(8, 'actors.create', { stateless: secret }, { link: actor, state: object }),
  kind(1, 'actors.list', {}),
  kind(2, 'actors.show', { actor }),
  kind(5, 'actors.update', { actor, image }, { description, link: actor, state: object }),
  kind(1, 'actors.delete', { actor }),
  kind(6, 'aliases.create', { alias, target: actor }),
  kind(1, 'aliases.list', {}),
  kind(1, 'aliases.show', { alias }),
  kind(4, 'aliases.update', { alias, target: actor }, { onlyFrom: actor }),
  kind(3, 'aliases.delete', { alias }),
  kind(1, 'permissions.list', { actor }),
  kind(6, 'permissions.grant', { actor, user, level }),
  kind(1, 'permissions.can', { actor, user, level }),
  kind(1, 'alias-permissions.list', { alias }),
  kind(4, 'alias-permissions.grant', { alias, user, level }),
  kind(1, 'alias-permissions.can', { alias, user, level }),
  kind(1, 'config-permissions.list', { config }),
  kind(3, 'config-permissions.grant', { config, user, level }),
  kind(1, 'config-permissions.can', { config, user, level }),
  kind(1, 'nonces.list', { actor }),
  kind(5, 'nonces.create', { actor }, { level, maxUses }),
  kind(1, 'nonces.show', { actor, nonce }),
  kind(1, 'nonces.delete', { actor, nonce }),
  kind(1, 'alias-nonces.list', { alias }),
  kind(3, 'alias-nonces.create', { alias }, { level, maxUses }),
  kind(1, 'alias-nonces.show', { alias, nonce }),
  kind(1, 'alias-nonces.delete', { alias, nonce }),
  kind(5, 'configs.create', { config, value, actors, secret }),
  kind(1, 'configs.list', {}),
  kind(1, 'configs.show', { config }),
  kind(3, 'configs.update', { config, value, actors, secret }, { ifVersion: version }),
  kind(1, 'configs.delete', { config }),
  kind(1, 'state.show', { actor }),
  kind(4, 'state.set', { actor, state: value }, { ifVersion: version }),
  kind(1, 'state.version', { actor, version }),
  kind(2, 'state.restore', { actor, version }, { ifVersion: version }),
  kind(3, 'messages.send', { actor }),
  kind(1, 'messages.count', { actor }),
  kind(1, 'messages.purge', { actor }),
);

/** The requests that set up each run, so that most random requests find a resource. */
const beginning: readonly Request[] = [
  { does: 'actors.create', as: 'ana', stateless: false },
  { does: 'aliases.create', as: 'ana', alias: 'red', target: '#0' },
  { does: 'permissions.grant', as: 'ana', actor: '#0', user: 'bob', level: 'EXECUTE' },
  { does: 'actors.create', as: 'bob', stateless: true, link: 'red' },
  { does: 'actors.create', as: 'otherAna', stateless: false },
  { does: 'aliases.create', as: 'otherAna', alias: 'red', target: '#2' },
  { does: 'alias-permissions.grant', as: 'ana', alias: 'red', user: 'bob', level: 'UPDATE' },
  { does: 'configs.create', as: 'ana', config: 'db', value: '1', actors: ['red'], secret: true },
  { does: 'nonces.create', as: 'ana', actor: '#0', level: 'UPDATE', maxUses: 2 },
  { does: 'alias-nonces.create', as: 'ana', alias: 'red' },
];

it('any sequence of requests gets the responses and leaves the content that the model predicts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 80, size: 'max' }), async (requests) => {
      const service = await startActorService({ quotas });
      try {
        const words = emptyDictionary();
        let world = emptyWorld(users, quotas);
        for (const each of [...beginning, ...requests]) {
          const { world: next, answer } = step(world, each);
          const actual = await askService(service, words, each, world.made);
          expect(actual, JSON.stringify(each)).toEqual(answer);
          world = next;
        }
        expect(contentOfStore(service.dependencies, words)).toEqual(contentOf(world));
        expect(service.complaints.filter((line) => !line.startsWith('nonce '))).toEqual([]);
      } finally {
        await service.close();
      }
    }),
    { numRuns: examples(40), ...(!examplesAsked && { seed: 1 }) },
  );
});
