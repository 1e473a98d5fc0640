// The content of the model and of a store in the same form, for comparison.
import { configsOf } from '../../../daemon/actors/configs/injection.ts';
import type { ActorService } from '../service/actor-service.ts';
import { configsOf as configsByRule } from './actor-model.ts';
import { type Dictionary, inModelWords } from './actor-model-requests.ts';
import type { World } from './actor-model-world.ts';

const sorted = <T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

/** The whole content of the model, and the configs that executions get, by name. */
export const contentOf = (world: World) => ({
  actors: sorted(world.actors.map(({ id, messages: _, ...rest }) => [id, rest] as const)),
  aliases: sorted(world.aliases.map((alias) => [`${alias.tenant}/${alias.name}`, alias] as const)),
  nonces: sorted(world.nonces.map((nonce) => [nonce.id, nonce] as const)),
  configs: sorted(world.configs.map((config) => [`${config.tenant}/${config.name}`, config] as const)),
  messages: world.actors.reduce((sum, { messages }) => sum + messages, 0),
  injected: sorted(world.actors.map((actor) => [actor.id, configsByRule(world, actor)] as const)),
});

/** The content of a store, in the form of `contentOf`. */
export const contentOfStore = (
  { store, seal }: Pick<ActorService['dependencies'], 'store' | 'seal'>,
  words: Dictionary,
): unknown => {
  const injection = configsOf({ store, seal });
  const valuesFor = (actor: { readonly id: string; readonly tenant: string }) =>
    Object.fromEntries(
      Object.entries(JSON.parse(injection.receivedBy(actor).text) as object).map(([name, value]) => [
        name,
        JSON.stringify(value),
      ]),
    );
  return inModelWords(words, {
    actors: sorted(
      [...store.all('actors')].map((actor) => {
        const {
          id,
          tenant,
          owner,
          permissions,
          stateless,
          image,
          description,
          link = '',
          revision,
          version = 1,
        } = actor;
        const states = store.by('states', 'actor', id).map(({ text, by }) => ({ text, by }));
        return [
          String(inModelWords(words, id)),
          { tenant, owner, permissions, stateless, image, description, link, revision, version, states },
        ] as const;
      }),
    ),
    aliases: sorted(
      [...store.all('aliases')].map(({ tenant, alias: name, actorId: target, pointedBy, owner, permissions }) => [
        `${tenant}/${name}`,
        { tenant, name, target, pointedBy, owner, permissions },
      ]),
    ),
    nonces: sorted(
      [...store.all('nonces')].map(({ id, tenant, owner, level, maxUses, currentUses: uses, actorId, alias }) => [
        String(inModelWords(words, id)),
        { id, tenant, owner, level, maxUses, uses, on: alias === undefined ? { actorId } : { alias } },
      ]),
    ),
    configs: sorted(
      [...store.all('configs')].map(
        ({ tenant, name, value, isSecret: secret, actors, listSetBy, owner, permissions, revision }) => [
          `${tenant}/${name}`,
          {
            ...{ tenant, name, owner, permissions, revision, secret },
            sharedBy: listSetBy ?? owner,
            value: secret ? seal.open(value, { tenant, name }) : value,
            actors: actors.split(',').filter((each) => each !== ''),
          },
        ],
      ),
    ),
    messages: store.count('messages'),
    injected: sorted(
      [...store.all('actors')].map((actor) => [String(inModelWords(words, actor.id)), valuesFor(actor)]),
    ),
  });
};
