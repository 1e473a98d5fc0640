// The types of the model: requests, responses and the complete state. Independent of the code of the product.

export type Level = 'NONE' | 'READ' | 'EXECUTE' | 'UPDATE';
export const LEVELS: readonly Level[] = ['NONE', 'READ', 'EXECUTE', 'UPDATE'];
export const WORLD = 'ABACO_WORLD';

/** The operations with their parameters. JSON values are given as text. */
interface RequestOf {
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
export type Verb = keyof RequestOf;
/** One request. `as` is a user, or a nonce instead of a user. */
export type Request = { [V in Verb]: { does: V; as: string } & RequestOf[V] }[Verb];

export type Answer =
  | { readonly status: 200; readonly result: unknown }
  | { readonly status: number; readonly code: string };

export interface User {
  readonly tenant: string;
  readonly name: string;
  readonly isAdmin: boolean;
}

export type Permissions = Record<string, Level>;
export interface Shared {
  readonly tenant: string;
  readonly owner: string;
  permissions: Permissions;
}
export interface Actor extends Shared {
  readonly id: string;
  readonly stateless: boolean;
  image: string;
  description: string;
  link: string;
  revision: number;
  version: number;
  /** Versions of the state, the first one at index 0 with number 1. */
  states: { readonly text: string; readonly by: string }[];
  messages: number;
}
export interface Alias extends Shared {
  readonly name: string;
  target: string;
  /** The user who pointed the alias to `target`. */
  pointedBy: string;
}
export interface Nonce {
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly on: { readonly actorId: string } | { readonly alias: string };
  readonly level: Level;
  readonly maxUses: number;
  uses: number;
}
export interface Config extends Shared {
  readonly name: string;
  value: string;
  actors: string[];
  /** The user who set the list `actors`. */
  sharedBy: string;
  secret: boolean;
  revision: number;
}

/** The complete state of the model. */
export interface World {
  /** Users by the name that requests use. */
  readonly users: Readonly<Record<string, User>>;
  /** Maximum number of resources of each kind per user. */
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
