// The rules of the model, each as in the specification: access checks and invariants.
import {
  type Actor,
  type Alias,
  type Answer,
  type Config,
  LEVELS,
  type Level,
  type Nonce,
  type Permissions,
  type Request,
  type Shared,
  type User,
  type Verb,
  WORLD,
  type World,
} from './actor-model-world.ts';

export class Refusal extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super();
    this.answer = answer;
  }
}
export const refuse = (status: number, code: string): never => {
  throw new Refusal({ status, code });
};
export const unknown = (): never => refuse(404, 'NOT_FOUND');

// The level of a user is the higher one of the user's own entry and the world's entry, and none in another tenant.
export const includes = (has: Level, needed: Level) => LEVELS.indexOf(has) >= LEVELS.indexOf(needed);
export const levelOf = (thing: Shared, { tenant, name }: User): Level => {
  const [own, world] = [thing.permissions[name] ?? 'NONE', thing.permissions[WORLD] ?? 'NONE'];
  return thing.tenant !== tenant ? 'NONE' : includes(own, world) ? own : world;
};

/**
 * A caller without READ gets the same error as for a missing resource. Admins pass unless the resource requires an
 * entry.
 */
export const demand = (thing: Shared, user: User, needed: Level, adminsPass: boolean): void => {
  if (adminsPass && user.isAdmin) return;
  const has = levelOf(thing, user);
  if (!includes(has, 'READ')) unknown();
  if (!includes(has, needed)) refuse(403, 'FORBIDDEN');
};

export const aliasNamed = (world: World, tenant: string, name: string) =>
  world.aliases.find((alias) => alias.tenant === tenant && alias.name === name);
const actorById = (world: World, tenant: string, id: string) =>
  world.actors.find((actor) => actor.tenant === tenant && actor.id === id);
/** An alias can be used in place of an id, and means the actor that it points to at that moment. */
export const actorCalled = (world: World, tenant: string, name: string) =>
  actorById(world, tenant, name) ?? actorById(world, tenant, aliasNamed(world, tenant, name)?.target ?? '');
const demandActor = (world: World, user: User, name: string, level: Level): Actor => {
  const actor = actorCalled(world, user.tenant, name) ?? unknown();
  demand(actor, user, level, true);
  return actor;
};

/** Reading requires READ, a message requires EXECUTE, all other requests require UPDATE. */
const levelFor = (does: Verb): Level =>
  does === 'messages.send' ? 'EXECUTE' : /\.(list|show|can|count|version)$/.test(does) ? 'READ' : 'UPDATE';

/** The resources of a request, after the access check of its sender. */
export interface Subject {
  readonly actor?: Actor;
  readonly alias?: Alias;
  readonly config?: Config;
}
const isBelowNothing = (does: Verb) => /^(actors|aliases|configs)\.(create|list)$/.test(does);
export const prove = (world: World, user: User, request: Request): Subject => {
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

/** A nonce acts as its owner on one actor, by its id, or on the one alias for which it was created. */
export const holderOf = (world: World, request: Request): { readonly nonce: Nonce; readonly user: User } => {
  if (isBelowNothing(request.does) || 'config' in request) return refuse(401, 'AUTH_REQUIRED');
  const nonce = world.nonces.find(({ id }) => id === request.as) ?? refuse(401, 'AUTH_FAILED');
  const place = 'actor' in request ? request.actor : 'alias' in request ? request.alias : '';
  const isFor = 'alias' in nonce.on ? nonce.on.alias === place : 'actor' in request && nonce.on.actorId === place;
  if (!isFor || nonce.uses === nonce.maxUses) refuse(401, 'AUTH_FAILED');
  if (!includes(nonce.level, levelFor(request.does))) refuse(403, 'FORBIDDEN');
  const user = Object.values(world.users).find(({ tenant, name }) => tenant === nonce.tenant && name === nonce.owner);
  return { nonce, user: user ?? refuse(401, 'AUTH_FAILED') };
};

export const demandQuota = (world: World, kind: keyof World['quotas'], { tenant, name }: User): void => {
  const owned = world[kind].filter((thing) => thing.tenant === tenant && thing.owner === name).length;
  if (owned >= world.quotas[kind]) refuse(409, 'QUOTA_EXCEEDED');
};

/** At the quota, the oldest used-up nonces are deleted for a new one, up to a tenth of the quota. */
export const forgetUsedNonces = (world: World, { tenant, name }: User): void => {
  const owned = world.nonces.filter((nonce) => nonce.tenant === tenant && nonce.owner === name);
  if (owned.length < world.quotas.nonces) return;
  const used = owned.filter(({ uses, maxUses }) => uses === maxUses).slice(0, Math.ceil(world.quotas.nonces / 10));
  world.nonces = world.nonces.filter((nonce) => !used.includes(nonce));
};

/** Events would circulate in a loop of links forever. */
export const refuseLoop = (world: World): void => {
  for (const first of world.actors) {
    const way = new Set<Actor>();
    for (let at: Actor | undefined = first; at; at = actorCalled(world, at.tenant, at.link)) {
      if (way.has(at)) refuse(400, 'LINK_CYCLE');
      way.add(at);
    }
  }
};
export const setLink = (world: World, user: User, actor: Actor, link: string): void => {
  if (link === actor.link) return;
  const target = actorCalled(world, user.tenant, link);
  const may = target && (user.isAdmin ? 'UPDATE' : levelOf(target, user));
  if (link !== '' && (may === undefined || may === 'NONE')) refuse(400, 'VALIDATION');
  if (link !== '' && may === 'READ') refuse(403, 'FORBIDDEN');
  actor.link = link;
  refuseLoop(world);
};

export const stateOf = ({ states }: Actor) => states.at(-1)?.text ?? '{}';
export const addState = (actor: Actor, by: User, text: string, ifVersion?: number): void => {
  if (ifVersion !== undefined && ifVersion !== actor.states.length) refuse(409, 'STALE_VERSION');
  actor.states.push({ text, by: by.name });
};
/** An actor that never had a state has an empty one, so setting an empty state changes nothing. */
export const describeState = (actor: Actor, by: User, text: string | undefined): void => {
  if (text === undefined || (text === '{}' && actor.states.length === 0)) return;
  if (actor.stateless) refuse(400, 'ACTOR_STATELESS');
  addState(actor, by, text);
};

/** The name of a deleted actor or alias means nothing any more, so it is removed from all configs. */
const takeOffConfigs = (world: World, gone: string, of: string): void => {
  for (const config of world.configs.filter(({ tenant, actors }) => tenant === of && actors.includes(gone))) {
    config.actors = config.actors.filter((name) => name !== gone);
    config.revision += 1;
  }
};
export const dropAlias = (world: World, { tenant, name }: Alias): void => {
  world.aliases = world.aliases.filter((alias) => alias.tenant !== tenant || alias.name !== name);
  world.nonces = world.nonces.filter(({ on, tenant: of }) => of !== tenant || !('alias' in on) || on.alias !== name);
  takeOffConfigs(world, name, tenant);
};
export const dropActor = (world: World, { id, tenant }: Actor): void => {
  world.actors = world.actors.filter((actor) => actor.id !== id);
  world.nonces = world.nonces.filter(({ on }) => !('actorId' in on) || on.actorId !== id);
  takeOffConfigs(world, id, tenant);
  for (const alias of world.aliases.filter(({ target }) => target === id)) dropAlias(world, alias);
};

/** Sharing a config with an actor requires UPDATE on that actor. */
export const demandList = (world: World, user: User, names: readonly string[]): void => {
  for (const name of names) demandActor(world, user, name, 'UPDATE');
};
export const sameNames = (a: readonly string[], b: readonly string[]) => [...a].sort().join() === [...b].sort().join();

const isUser = (world: World, of: string, name: string) =>
  Object.values(world.users).some((user) => user.tenant === of && user.name === name);
/** An entry is replaced and never removed. At least one existing user must keep UPDATE. */
export const grant = (world: World, thing: Shared, user: string, level: Level): Permissions => {
  const hadUpdate = thing.permissions[user] === 'UPDATE';
  thing.permissions[user] = level;
  const holders = Object.keys(thing.permissions).filter((name) => thing.permissions[name] === 'UPDATE');
  if (hadUpdate && !holders.some((name) => name === WORLD || isUser(world, thing.tenant, name))) {
    refuse(409, 'LAST_HOLDER');
  }
  return thing.permissions;
};
export const judge = (world: World, thing: Shared, name: string, needs: Level, rolesCount: boolean) => {
  const known = Object.values(world.users).find((user) => user.tenant === thing.tenant && user.name === name);
  const user = known ?? { tenant: thing.tenant, name, isAdmin: false };
  if (known === undefined && name !== WORLD) return { user: name, has: 'NONE', needs, by: 'nobody', allowed: false };
  if (rolesCount && user.isAdmin) return { user: name, has: 'UPDATE', needs, by: 'role', allowed: true };
  const has = levelOf(thing, user);
  const by = has === 'NONE' ? 'nothing' : thing.permissions[name] === has ? 'entry' : 'world';
  return { user: name, has, needs, by, allowed: includes(has, needs) };
};
