// The actor service as one small model, written from the specification and independent of the product: the response to
// a request, and the state after it. It is over 250 lines so that all requests can be read in one place.
import {
  actorCalled,
  addState,
  aliasNamed,
  demand,
  demandList,
  demandQuota,
  describeState,
  dropActor,
  dropAlias,
  forgetUsedNonces,
  grant,
  holderOf,
  includes,
  judge,
  levelOf,
  prove,
  Refusal,
  refuse,
  refuseLoop,
  type Subject,
  sameNames,
  setLink,
  stateOf,
  unknown,
} from './actor-model-rules.ts';
import type { Actor, Alias, Answer, Config, Level, Nonce, Request, Shared, User, World } from './actor-model-world.ts';

// The fields in the response for each kind of resource.
const showActor = (actor: Actor) => {
  const { id, owner, stateless, description, link, image, revision, version } = actor;
  return { id, owner, stateless, description, link, image, revision, version, state: stateOf(actor) };
};
const showAlias = ({ name, target, owner }: Alias) => ({ alias: name, actorId: target, owner });
const showNonce = ({ id, owner, on, level, maxUses, uses }: Nonce) => ({
  ...{ id, owner, level, maxUses, currentUses: uses, ...on },
  remainingUses: maxUses === -1 ? -1 : maxUses - uses,
});
const showConfig = ({ name, value, actors, secret, owner, revision }: Config) => ({
  ...{ name, owner, revision, actors: actors.join(','), isSecret: secret, is_secret: secret },
  value: secret ? 'sealed' : value,
});
const showState = ({ states, owner }: Actor, version: number) => {
  const kept = version === 0 ? { text: '{}', by: owner } : (states[version - 1] ?? unknown());
  return { version, state: kept.text, updatedBy: kept.by };
};

const makeNonce = (
  world: World,
  { tenant, name }: User,
  on: Nonce['on'],
  { level = 'EXECUTE', maxUses = -1 }: { level?: Level; maxUses?: number },
) => {
  if ('alias' in on && level === 'UPDATE') refuse(400, 'ALIAS_NONCE_LEVEL');
  forgetUsedNonces(world, { tenant, name, isAdmin: false });
  demandQuota(world, 'nonces', { tenant, name, isAdmin: false });
  const nonce = { id: `~${world.made.nonces}`, tenant, owner: name, on, level, maxUses, uses: 0 };
  world.made.nonces += 1;
  world.nonces.push(nonce);
  return showNonce(nonce);
};
const readable = <T extends Shared>(things: readonly T[], user: User) =>
  things.filter((thing) => includes(levelOf(thing, user), 'READ'));

/** Performs a request after its access check: changes `world` and returns the result. */
const perform = (world: World, user: User, request: Request, subject: Subject): unknown => {
  const { tenant, name: owner } = user;
  const actor = (): Actor => subject.actor ?? unknown();
  const alias = (): Alias => subject.alias ?? unknown();
  const config = (): Config => subject.config ?? unknown();
  const thing = (): Shared => subject.actor ?? subject.alias ?? config();
  const on = (): Nonce['on'] => (subject.actor ? { actorId: subject.actor.id } : { alias: alias().name });
  const isOnIt = (nonce: Nonce) => nonce.tenant === thing().tenant && JSON.stringify(nonce.on) === JSON.stringify(on());
  const own = { tenant, owner, permissions: { [owner]: 'UPDATE' as const } };
  switch (request.does) {
    case 'actors.create': {
      demandQuota(world, 'actors', user);
      const id = `#${world.made.actors}`;
      const blank = { image: 'alpine', description: '', link: '', revision: 1, version: 1, states: [], messages: 0 };
      const made: Actor = { ...own, id, stateless: request.stateless, ...blank };
      setLink(world, user, made, request.link ?? '');
      describeState(made, user, request.state);
      world.made.actors += 1;
      world.actors.push(made);
      return showActor(made);
    }
    case 'actors.list':
      return readable(world.actors, user).map(showActor);
    case 'actors.show':
      return showActor(actor());
    case 'actors.update':
      // Omitted fields are reset to their defaults. The state is unchanged.
      setLink(world, user, actor(), request.link ?? '');
      actor().description = request.description ?? '';
      actor().revision += actor().image === request.image ? 0 : 1;
      actor().version += 1;
      actor().image = request.image;
      describeState(actor(), user, request.state);
      return showActor(actor());
    case 'actors.delete':
      dropActor(world, actor());
      return null;
    case 'aliases.create': {
      const target = actorCalled(world, tenant, request.target) ?? unknown();
      demand(target, user, 'UPDATE', true);
      if (aliasNamed(world, tenant, request.alias)) refuse(409, 'ALREADY_EXISTS');
      demandQuota(world, 'aliases', user);
      const made: Alias = { ...own, name: request.alias, target: target.id, pointedBy: owner };
      world.aliases.push(made);
      refuseLoop(world);
      return showAlias(made);
    }
    case 'aliases.list':
      return readable(world.aliases, user).map(showAlias);
    case 'aliases.show':
      return showAlias(alias());
    case 'aliases.update': {
      if (request.onlyFrom !== undefined && request.onlyFrom !== alias().target) refuse(409, 'STALE_VERSION');
      const target = actorCalled(world, tenant, request.target) ?? unknown();
      demand(target, user, 'UPDATE', true);
      if (alias().target !== target.id) Object.assign(alias(), { target: target.id, pointedBy: owner });
      refuseLoop(world);
      return showAlias(alias());
    }
    case 'aliases.delete':
      dropAlias(world, alias());
      return null;
    case 'permissions.list':
    case 'alias-permissions.list':
    case 'config-permissions.list':
      return thing().permissions;
    case 'permissions.grant':
    case 'alias-permissions.grant':
    case 'config-permissions.grant':
      return grant(world, thing(), request.user, request.level);
    case 'permissions.can':
    case 'alias-permissions.can':
    case 'config-permissions.can':
      return judge(world, thing(), request.user, request.level, subject.config === undefined);
    case 'nonces.list':
    case 'alias-nonces.list':
      return world.nonces.filter(isOnIt).map(showNonce);
    case 'nonces.create':
    case 'alias-nonces.create':
      return makeNonce(world, user, on(), request);
    case 'nonces.show':
    case 'alias-nonces.show':
      return showNonce(world.nonces.filter(isOnIt).find(({ id }) => id === request.nonce) ?? unknown());
    case 'nonces.delete':
    case 'alias-nonces.delete': {
      const gone = world.nonces.filter(isOnIt).find(({ id }) => id === request.nonce) ?? unknown();
      world.nonces = world.nonces.filter(({ id }) => id !== gone.id);
      return null;
    }
    case 'configs.create': {
      const { config: name, value, actors, secret } = request;
      demandList(world, user, actors);
      if (world.configs.some((each) => each.tenant === tenant && each.name === name)) refuse(409, 'ALREADY_EXISTS');
      demandQuota(world, 'configs', user);
      const made: Config = { ...own, name, value, actors: [...actors], sharedBy: owner, secret, revision: 1 };
      world.configs.push(made);
      return showConfig(made);
    }
    case 'configs.list':
      return readable(world.configs, user).map(showConfig);
    case 'configs.show':
      return showConfig(config());
    case 'configs.update': {
      const { value, actors, secret, ifVersion } = request;
      if (ifVersion !== undefined && ifVersion !== config().revision) refuse(409, 'STALE_VERSION');
      if (!sameNames(actors, config().actors)) {
        demandList(world, user, actors);
        config().sharedBy = owner;
      }
      Object.assign(config(), { value, actors: [...actors], secret, revision: config().revision + 1 });
      return showConfig(config());
    }
    case 'configs.delete':
      world.configs = world.configs.filter((each) => each !== config());
      return null;
    case 'state.show':
      return showState(actor(), actor().states.length);
    case 'state.version':
      return showState(actor(), request.version);
    case 'state.set':
      if (actor().stateless) refuse(400, 'ACTOR_STATELESS');
      addState(actor(), user, request.state, request.ifVersion);
      return { ...showActor(actor()), stateVersion: actor().states.length };
    case 'state.restore': {
      if (actor().stateless) refuse(400, 'ACTOR_STATELESS');
      const { version, ifVersion } = request;
      addState(actor(), user, showState(actor(), version).state, ifVersion);
      return { ...showActor(actor()), stateVersion: actor().states.length };
    }
    case 'messages.send':
      actor().messages += 1;
      return {};
    case 'messages.count':
      return { messages: actor().messages };
    case 'messages.purge': {
      const { messages } = actor();
      actor().messages = 0;
      return { purged: messages };
    }
  }
};

/** A world is a JSON value, whose copy costs half of a structured clone. */
const cloned = (world: World): World => JSON.parse(JSON.stringify(world)) as World;

/**
 * Returns the response to a request and the state after it. A refused request changes nothing, except that it may use
 * up a nonce.
 */
export const step = (before: World, request: Request): { readonly world: World; readonly answer: Answer } => {
  const world = cloned(before);
  let kept = before;
  try {
    const known = world.users[request.as];
    const { user, nonce } = known ? { user: known, nonce: undefined } : holderOf(world, request);
    const subject = prove(world, user, request);
    // A nonce is used directly before the work. Setting the state of a stateless actor is refused before that.
    if (nonce && !(request.does === 'state.set' && subject.actor?.stateless)) {
      nonce.uses += 1;
      kept = cloned(world);
    }
    const result = structuredClone(perform(world, user, request, subject));
    return { world, answer: { status: 200, result } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { world: kept, answer: error.answer };
  }
};

/**
 * The configs that an execution of an actor gets, by name: those that list its id, or an alias that points to the actor
 * now. Pointing an alias shares the configs that list it, so the user who did it must have UPDATE on the config. The user
 * who set the list must have UPDATE on the actor, and passes as an admin only for an alias that this user pointed.
 */
export const configsOf = (world: World, actor: Actor): Readonly<Record<string, string>> => {
  const { id, tenant } = actor;
  const userNamed = (name: string) =>
    Object.values(world.users).find((each) => each.tenant === tenant && each.name === name) ?? unknown();
  const follows = (config: Config, { name, target, pointedBy }: Alias) => {
    if (target !== id || !config.actors.includes(name)) return false;
    const setter = userNamed(config.sharedBy);
    const setterPasses = levelOf(actor, setter) === 'UPDATE' || (setter.isAdmin && config.sharedBy === pointedBy);
    return setterPasses && levelOf(config, userNamed(pointedBy)) === 'UPDATE';
  };
  const found = world.configs.filter(
    (config) =>
      config.tenant === tenant &&
      (config.actors.includes(id) || world.aliases.some((alias) => alias.tenant === tenant && follows(config, alias))),
  );
  return Object.fromEntries(found.map(({ name, value }) => [name, value]));
};
