// The rules of the actor service as one small model, written from the specification and knowing nothing of the product.
// Things are called by the order in which they were made: `#0` is the first actor, `~0` the first nonce.
// It is longer than other files because the rules shall be read in one place.

export type Level = 'NONE' | 'READ' | 'EXECUTE' | 'UPDATE';
const LEVELS: readonly Level[] = ['NONE', 'READ', 'EXECUTE', 'UPDATE'];
const WORLD = 'ABACO_WORLD';

/** What may be asked, and with what. JSON values stand as text. */
interface Asked {
  'actors.create': { stateless: boolean; link?: string; state?: string };
  'actors.list': object;
  'actors.show': { actor: string };
  'actors.update': { actor: string; image: string; description?: string; link?: string; state?: string };
  'actors.delete': { actor: string };
  'aliases.create': { alias: string; target: string };
  'aliases.list': object;
  'aliases.show': { alias: string };
  'aliases.update': { alias: string; target: string; onlyFrom?: string };
  'aliases.delete': { alias: string };
  'permissions.list': { actor: string };
  'permissions.grant': { actor: string; user: string; level: Level };
  'permissions.can': { actor: string; user: string; level: Level };
  'alias-permissions.list': { alias: string };
  'alias-permissions.grant': { alias: string; user: string; level: Level };
  'alias-permissions.can': { alias: string; user: string; level: Level };
  'config-permissions.list': { config: string };
  'config-permissions.grant': { config: string; user: string; level: Level };
  'config-permissions.can': { config: string; user: string; level: Level };
  'nonces.list': { actor: string };
  'nonces.create': { actor: string; level?: Level; maxUses?: number };
  'nonces.show': { actor: string; nonce: string };
  'nonces.delete': { actor: string; nonce: string };
  'alias-nonces.list': { alias: string };
  'alias-nonces.create': { alias: string; level?: Level; maxUses?: number };
  'alias-nonces.show': { alias: string; nonce: string };
  'alias-nonces.delete': { alias: string; nonce: string };
  'configs.create': { config: string; value: string; actors: string[]; secret: boolean };
  'configs.list': object;
  'configs.show': { config: string };
  'configs.update': { config: string; value: string; actors: string[]; secret: boolean; ifVersion?: number };
  'configs.delete': { config: string };
  'state.show': { actor: string };
  'state.set': { actor: string; state: string; ifVersion?: number };
  'state.version': { actor: string; version: number };
  'state.restore': { actor: string; version: number; ifVersion?: number };
  'messages.send': { actor: string };
  'messages.count': { actor: string };
  'messages.purge': { actor: string };
}
type Verb = keyof Asked;
/** One request; `as` is a user, or a nonce in place of one. */
export type Request = { [V in Verb]: { does: V; as: string } & Asked[V] }[Verb];

export type Answer =
  | { readonly status: 200; readonly result: unknown }
  | { readonly status: number; readonly code: string };

export interface User {
  readonly tenant: string;
  readonly name: string;
  readonly isAdmin: boolean;
}

type Permissions = Record<string, Level>;
interface Shared {
  readonly tenant: string;
  readonly owner: string;
  permissions: Permissions;
}
interface Actor extends Shared {
  readonly id: string;
  readonly stateless: boolean;
  image: string;
  description: string;
  link: string;
  revision: number;
  /** Versions of the state from 1 on. */
  states: { readonly text: string; readonly by: string }[];
  messages: number;
}
interface Alias extends Shared {
  readonly name: string;
  target: string;
}
interface Nonce {
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly on: { readonly actorId: string } | { readonly alias: string };
  readonly level: Level;
  readonly maxUses: number;
  uses: number;
}
interface Config extends Shared {
  readonly name: string;
  value: string;
  actors: string[];
  secret: boolean;
  revision: number;
}

/** All there is. */
export interface World {
  /** By the name under which they ask. */
  readonly users: Readonly<Record<string, User>>;
  /** Most things of one kind that a user may own. */
  readonly quotas: Readonly<Record<'actors' | 'aliases' | 'nonces' | 'configs', number>>;
  actors: Actor[];
  aliases: Alias[];
  nonces: Nonce[];
  configs: Config[];
  made: { actors: number; nonces: number };
}

export const emptyWorld = (users: World['users'], quotas: World['quotas']): World => ({
  users,
  quotas,
  actors: [],
  aliases: [],
  nonces: [],
  configs: [],
  made: { actors: 0, nonces: 0 },
});

class Refusal extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super();
    this.answer = answer;
  }
}
const refuse = (status: number, code: string): never => {
  throw new Refusal({ status, code });
};
const unknown = (): never => refuse(404, 'NOT_FOUND');

// Levels: the higher of a user's own entry and the world's; none in another tenant.
const includes = (has: Level, needed: Level) => LEVELS.indexOf(has) >= LEVELS.indexOf(needed);
const levelOf = (thing: Shared, { tenant, name }: User): Level => {
  const [own, world] = [thing.permissions[name] ?? 'NONE', thing.permissions[WORLD] ?? 'NONE'];
  return thing.tenant !== tenant ? 'NONE' : includes(own, world) ? own : world;
};

/** Who may not read a thing does not learn that it is there. Admins pass, unless the thing asks for an entry. */
const demand = (thing: Shared, user: User, needed: Level, adminsPass: boolean): void => {
  if (adminsPass && user.isAdmin) return;
  const has = levelOf(thing, user);
  if (!includes(has, 'READ')) unknown();
  if (!includes(has, needed)) refuse(403, 'FORBIDDEN');
};

const aliasNamed = (world: World, tenant: string, name: string) =>
  world.aliases.find((alias) => alias.tenant === tenant && alias.name === name);
const actorById = (world: World, tenant: string, id: string) =>
  world.actors.find((actor) => actor.tenant === tenant && actor.id === id);
/** An alias stands wherever an id can, for the actor it points to at that moment. */
const actorCalled = (world: World, tenant: string, name: string) =>
  actorById(world, tenant, name) ?? actorById(world, tenant, aliasNamed(world, tenant, name)?.target ?? '');
const demandActor = (world: World, user: User, name: string, level: Level): Actor => {
  const actor = actorCalled(world, user.tenant, name) ?? unknown();
  demand(actor, user, level, true);
  return actor;
};

/** Reading asks for READ, a message for EXECUTE, everything else for UPDATE. */
const levelFor = (does: Verb): Level =>
  does === 'messages.send' ? 'EXECUTE' : /\.(list|show|can|count|version)$/.test(does) ? 'READ' : 'UPDATE';

/** What a request is about, once its sender was found to hold the level on it. */
interface Subject {
  readonly actor?: Actor;
  readonly alias?: Alias;
  readonly config?: Config;
}
const isBelowNothing = (does: Verb) => /^(actors|aliases|configs)\.(create|list)$/.test(does);
const prove = (world: World, user: User, request: Request): Subject => {
  const level = levelFor(request.does);
  if (isBelowNothing(request.does)) return {};
  if ('actor' in request) return { actor: demandActor(world, user, request.actor, level) };
  if ('alias' in request) {
    const alias = aliasNamed(world, user.tenant, request.alias) ?? unknown();
    demand(alias, user, level, true);
    if (request.does.startsWith('alias-nonces.')) demandActor(world, user, alias.target, level);
    return { alias };
  }
  if (!('config' in request)) return {};
  const config =
    world.configs.find(({ tenant, name }) => tenant === user.tenant && name === request.config) ?? unknown();
  demand(config, user, level, false);
  return { config };
};

/** A nonce stands in for its owner below the one actor, by its id, or the one alias for which it was made. */
const holderOf = (world: World, request: Request): { readonly nonce: Nonce; readonly user: User } => {
  if (isBelowNothing(request.does) || 'config' in request) return refuse(401, 'AUTH_REQUIRED');
  const nonce = world.nonces.find(({ id }) => id === request.as) ?? refuse(401, 'AUTH_FAILED');
  const place = 'actor' in request ? request.actor : 'alias' in request ? request.alias : '';
  const isFor = 'alias' in nonce.on ? nonce.on.alias === place : 'actor' in request && nonce.on.actorId === place;
  if (!isFor || nonce.uses === nonce.maxUses) refuse(401, 'AUTH_FAILED');
  if (!includes(nonce.level, levelFor(request.does))) refuse(403, 'FORBIDDEN');
  const user = Object.values(world.users).find(({ tenant, name }) => tenant === nonce.tenant && name === nonce.owner);
  return { nonce, user: user ?? refuse(401, 'AUTH_FAILED') };
};

const demandQuota = (world: World, kind: keyof World['quotas'], { tenant, name }: User): void => {
  const owned = world[kind].filter((thing) => thing.tenant === tenant && thing.owner === name).length;
  if (owned >= world.quotas[kind]) refuse(409, 'QUOTA_EXCEEDED');
};

/** Events would run round a loop of links for ever. */
const refuseLoop = (world: World): void => {
  for (const first of world.actors) {
    const way = new Set<Actor>();
    for (let at: Actor | undefined = first; at; at = actorCalled(world, at.tenant, at.link)) {
      if (way.has(at)) refuse(400, 'LINK_CYCLE');
      way.add(at);
    }
  }
};
const setLink = (world: World, user: User, actor: Actor, link: string): void => {
  if (link === actor.link) return;
  const target = actorCalled(world, user.tenant, link);
  const may = target && (user.isAdmin ? 'UPDATE' : levelOf(target, user));
  if (link !== '' && (may === undefined || may === 'NONE')) refuse(400, 'VALIDATION');
  if (link !== '' && may === 'READ') refuse(403, 'FORBIDDEN');
  actor.link = link;
  refuseLoop(world);
};

const stateOf = ({ states }: Actor) => states.at(-1)?.text ?? '{}';
const addState = (actor: Actor, by: User, text: string, ifVersion?: number): void => {
  if (ifVersion !== undefined && ifVersion !== actor.states.length) refuse(409, 'STALE_VERSION');
  actor.states.push({ text, by: by.name });
};
/** An empty state where none ever was is what every actor has. */
const describeState = (actor: Actor, by: User, text: string | undefined): void => {
  if (text === undefined || (text === '{}' && actor.states.length === 0)) return;
  if (actor.stateless) refuse(400, 'ACTOR_STATELESS');
  addState(actor, by, text);
};

/** A name that stood for an actor means nothing any more: no config is shared with it. */
const takeOffConfigs = (world: World, gone: string, of: string): void => {
  for (const config of world.configs.filter(({ tenant, actors }) => tenant === of && actors.includes(gone))) {
    config.actors = config.actors.filter((name) => name !== gone);
    config.revision += 1;
  }
};
const dropAlias = (world: World, { tenant, name }: Alias): void => {
  world.aliases = world.aliases.filter((alias) => alias.tenant !== tenant || alias.name !== name);
  world.nonces = world.nonces.filter(({ on, tenant: of }) => of !== tenant || !('alias' in on) || on.alias !== name);
  takeOffConfigs(world, name, tenant);
};
const dropActor = (world: World, { id, tenant }: Actor): void => {
  world.actors = world.actors.filter((actor) => actor.id !== id);
  world.nonces = world.nonces.filter(({ on }) => !('actorId' in on) || on.actorId !== id);
  takeOffConfigs(world, id, tenant);
  for (const alias of world.aliases.filter(({ target }) => target === id)) dropAlias(world, alias);
};

/** Sharing with an actor counts as updating it. */
const demandList = (world: World, user: User, names: readonly string[]): void => {
  for (const name of names) demandActor(world, user, name, 'UPDATE');
};
const sameNames = (a: readonly string[], b: readonly string[]) => [...a].sort().join() === [...b].sort().join();

const isUser = (world: World, of: string, name: string) =>
  Object.values(world.users).some((user) => user.tenant === of && user.name === name);
/** An entry is replaced, never removed; somebody there is must go on holding UPDATE. */
const grant = (world: World, thing: Shared, user: string, level: Level): Permissions => {
  const hadUpdate = thing.permissions[user] === 'UPDATE';
  thing.permissions[user] = level;
  const holders = Object.keys(thing.permissions).filter((name) => thing.permissions[name] === 'UPDATE');
  if (hadUpdate && !holders.some((name) => name === WORLD || isUser(world, thing.tenant, name))) {
    refuse(409, 'LAST_HOLDER');
  }
  return thing.permissions;
};
const judge = (world: World, thing: Shared, name: string, needs: Level, rolesCount: boolean) => {
  const known = Object.values(world.users).find((user) => user.tenant === thing.tenant && user.name === name);
  const user = known ?? { tenant: thing.tenant, name, isAdmin: false };
  if (known === undefined && name !== WORLD) return { user: name, has: 'NONE', needs, by: 'nobody', allowed: false };
  if (rolesCount && user.isAdmin) return { user: name, has: 'UPDATE', needs, by: 'role', allowed: true };
  const has = levelOf(thing, user);
  const by = has === 'NONE' ? 'nothing' : thing.permissions[name] === has ? 'entry' : 'world';
  return { user: name, has, needs, by, allowed: includes(has, needs) };
};

// What is answered of each kind of thing.
const showActor = (actor: Actor) => {
  const { id, owner, stateless, description, link, image, revision } = actor;
  return { id, owner, stateless, description, link, image, revision, state: stateOf(actor) };
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
  demandQuota(world, 'nonces', { tenant, name, isAdmin: false });
  const nonce = { id: `~${world.made.nonces}`, tenant, owner: name, on, level, maxUses, uses: 0 };
  world.made.nonces += 1;
  world.nonces.push(nonce);
  return showNonce(nonce);
};
const readable = <T extends Shared>(things: readonly T[], user: User) =>
  things.filter((thing) => includes(levelOf(thing, user), 'READ'));

/** What is done and answered once the sender was let through; changes `world`. */
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
      const blank = { image: 'alpine', description: '', link: '', revision: 1, states: [], messages: 0 };
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
      // What is left out goes back to its default; the state stays.
      setLink(world, user, actor(), request.link ?? '');
      actor().description = request.description ?? '';
      actor().revision += actor().image === request.image ? 0 : 1;
      actor().image = request.image;
      describeState(actor(), user, request.state);
      return showActor(actor());
    case 'actors.delete':
      dropActor(world, actor());
      return null;
    case 'aliases.create': {
      // By its id alone: an alias of an alias would move when nobody looks.
      const target = actorById(world, tenant, request.target) ?? unknown();
      demand(target, user, 'UPDATE', true);
      if (aliasNamed(world, tenant, request.alias)) refuse(409, 'ALREADY_EXISTS');
      demandQuota(world, 'aliases', user);
      const made: Alias = { ...own, name: request.alias, target: target.id };
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
      const target = actorById(world, tenant, request.target) ?? unknown();
      demand(target, user, 'UPDATE', true);
      alias().target = target.id;
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
      const made: Config = { ...own, name, value, actors: [...actors], secret, revision: 1 };
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
      if (!sameNames(actors, config().actors)) demandList(world, user, actors);
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
      return { msg: 'hi' };
    case 'messages.count':
      return { messages: actor().messages };
    case 'messages.purge': {
      const { messages } = actor();
      actor().messages = 0;
      return { purged: messages };
    }
  }
};

/** What a request answers, and what there is after it: nothing is changed by one that is refused, but for the use of a nonce. */
export const step = (before: World, request: Request): { readonly world: World; readonly answer: Answer } => {
  const world = structuredClone(before);
  let kept = before;
  try {
    const known = world.users[request.as];
    const { user, nonce } = known ? { user: known, nonce: undefined } : holderOf(world, request);
    const subject = prove(world, user, request);
    // A use is taken right before the work; a state that no body is asked for is refused before that.
    if (nonce && !(request.does === 'state.set' && subject.actor?.stateless)) {
      nonce.uses += 1;
      kept = structuredClone(world);
    }
    const result = structuredClone(perform(world, user, request, subject));
    return { world, answer: { status: 200, result } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { world: kept, answer: error.answer };
  }
};

/** The configs that an execution of an actor finds, by name: those that list its id, or an alias that points to it now. */
export const configsOf = (world: World, { id, tenant }: { readonly id: string; readonly tenant: string }) => {
  const names = [id, ...world.aliases.filter((alias) => alias.target === id).map(({ name }) => name)];
  const listed = world.configs.filter(
    (config) => config.tenant === tenant && config.actors.some((n) => names.includes(n)),
  );
  return Object.fromEntries(listed.map(({ name, value }) => [name, value]));
};
