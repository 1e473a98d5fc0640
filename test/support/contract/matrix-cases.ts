// The requests of the permission matrix: for every operation one that succeeds for a permitted caller.
import type { Guard } from '../../../src/contract/operation.ts';
import type { Operations, ServiceOperationId } from '../../../src/contract/operations.ts';
import type { Call } from '../service/call.ts';
import type { MatrixWorld } from './matrix-world.ts';

/**
 * Checks of a handler in addition to the guard of its route:
 * - `own`: the caller is ana; others get 404
 * - `of the tenant`: the caller is in the first tenant; others get 404
 * - `look after the tenant`: the caller is in the first tenant; others are refused
 * - `the role admin`: the caller administers the machine; others are refused
 * - `the execution itself`: the caller is the execution in the path; others are refused
 * - a guard: the check of that guard on the actor that the body names, or on the actor of the event
 */
export type Beyond =
  | 'own'
  | 'of the tenant'
  | 'look after the tenant'
  | 'the role admin'
  | 'the clock'
  | 'the execution itself'
  | 'actor:READ'
  | 'actor:UPDATE';

interface Guarded {
  /** The body, and the query after `?`. */
  readonly send?: (world: MatrixWorld) => Call;
  readonly query?: (world: MatrixWorld) => string;
  readonly beyond?: Beyond;
}

/** A public operation has the same response for every caller. */
type Public = Guarded & { readonly answers: number };

export type Case = Guarded & { readonly answers?: number };

type CaseOf<G extends Guard> = G extends 'public' ? Public : Guarded;

const nothing: Guarded = {};

const json = (value: unknown): Call => ({ json: value });

const config = (world: MatrixWorld, name: string, actors: string): Call =>
  json({ name, value: world.fresh, actors, is_secret: false });

const password = 'a password that is long';

/** A case for every operation of the contract, as the type requires. */
export const cases: { readonly [I in ServiceOperationId]: CaseOf<Operations[I]['guard']> } = {
  'health.show': { answers: 200 },
  'openapi.show': { answers: 200 },
  'docs.show': { answers: 200 },
  'metadata.show': { answers: 200 },
  'tenants.list': { answers: 200 },
  'authorize.show': {
    answers: 200,
    query: ({ clientName }) =>
      new URLSearchParams({
        response_type: 'code',
        client_id: `id of ${clientName}`,
        redirect_uri: 'https://app.example/callback',
      }).toString(),
  },
  'authorize.link': { answers: 400 },
  'authorize.logout': { answers: 200, send: () => ({ form: {} }) },
  // Their forms need keys that only a page contains.
  'authorize.login': { answers: 403, send: () => ({ form: { username: 'ana', password } }) },
  'authorize.consent': { answers: 403, send: () => ({ form: { decision: 'approve' } }) },
  // These require client credentials and accept no others.
  'token.create': { answers: 401, send: () => ({ form: { grant_type: 'client_credentials' } }) },
  'token.revoke': { answers: 401, send: () => ({ form: { token: 'x' } }) },
  'token.introspect': { answers: 401, send: () => ({ form: { token: 'x' } }) },

  'clients.create': { send: ({ fresh }) => json({ clientName: fresh }) },
  'clients.list': nothing,
  'clients.show': { beyond: 'own' },
  'clients.update': { beyond: 'own', send: () => json({ description: 'changed' }) },
  'clients.delete': { beyond: 'own' },
  'clients.rotate': { beyond: 'own', send: () => json({}) },
  'logins.list': nothing,
  'logins.end': { beyond: 'own' },
  'profiles.me': nothing,
  'profiles.list': nothing,
  'profiles.show': { beyond: 'of the tenant' },

  'users.create': { send: ({ fresh }) => json({ username: fresh, password }) },
  'users.list': nothing,
  'users.show': { beyond: 'of the tenant' },
  'users.update': { beyond: 'of the tenant', send: () => json({ email: 'ana@example.org' }) },
  'users.delete': { beyond: 'of the tenant' },
  'logins.listOfUser': { beyond: 'of the tenant' },
  'logins.endOfUser': { beyond: 'of the tenant' },
  'tenants.create': { beyond: 'look after the tenant', send: ({ fresh }) => json({ id: fresh }) },
  'tenants.show': { beyond: 'look after the tenant' },
  'tenants.update': { beyond: 'look after the tenant', send: () => json({ name: 'changed' }) },
  'admin.actors': nothing,
  'admin.workers': nothing,
  'admin.executions': nothing,
  'admin.images': nothing,
  'admin.folders': nothing,
  'admin.example': nothing,
  'utilization.show': nothing,
  'utilization.activity': nothing,
  'search.find': nothing,
  'clock.show': nothing,
  // The service has the clock of the machine.
  'clock.pause': { beyond: 'the clock' },
  'clock.resume': { beyond: 'the clock' },
  'clock.move': { beyond: 'the clock', send: () => json({ by: '1h' }) },

  'actors.create': { send: () => json({ image: 'words:1' }) },
  'actors.list': nothing,
  'actors.show': nothing,
  'actors.update': { send: () => json({ image: 'words:1', stateless: false }) },
  'actors.delete': { query: () => 'force=true' },
  'cron.show': nothing,
  'cron.set': { send: () => json({ cronSchedule: '@daily' }) },
  'messages.send': { send: () => ({ form: { message: 'hi' } }) },
  'messages.count': nothing,
  'messages.purge': nothing,
  'executions.list': nothing,
  'executions.show': nothing,
  'executions.search': nothing,
  'executions.find': { beyond: 'actor:READ' },
  'executions.halt': nothing,
  'executions.rerun': nothing,
  'executions.settle': { query: () => 'timeout=0' },
  'executions.settleAll': { query: () => 'timeout=0' },
  'executions.logs': nothing,
  'workers.list': nothing,
  'workers.show': nothing,
  'workers.scale': { beyond: 'the role admin', send: () => json({}) },
  'workers.delete': nothing,
  'results.take': nothing,
  'results.post': { beyond: 'the execution itself', send: () => ({ body: 'bytes' }) },
  'events.list': nothing,
  'events.show': { beyond: 'actor:READ' },
  'events.emit': { send: () => json({ event_type: 'NOTICE' }) },
  'events.redeliver': { beyond: 'actor:UPDATE', send: () => json({ to: 'webhook' }) },
  'deliveries.list': nothing,
  'deliveries.show': { beyond: 'actor:READ' },
  'deliveries.redeliver': { beyond: 'actor:UPDATE' },
  'webhooks.test': nothing,
  'links.show': nothing,
  'links.check': { query: ({ otherId }) => `target=${otherId}` },
  'state.show': nothing,
  'state.set': { send: () => json({ counter: 1 }) },
  'state.versions': nothing,
  'state.version': nothing,
  'state.restore': nothing,
  'permissions.list': nothing,
  'permissions.grant': { send: () => json({ user: 'priv', level: 'READ' }) },
  'permissions.can': nothing,
  'nonces.list': nothing,
  'nonces.create': { send: () => json({}) },
  'nonces.show': nothing,
  'nonces.delete': nothing,

  'aliases.create': {
    beyond: 'actor:UPDATE',
    send: ({ fresh, actorId }) => json({ alias: fresh, actorId }),
  },
  'aliases.list': nothing,
  'aliases.show': nothing,
  'aliases.update': { send: ({ otherId }) => json({ actorId: otherId }) },
  'aliases.delete': nothing,
  'alias-permissions.list': nothing,
  'alias-permissions.grant': { send: () => json({ user: 'priv', level: 'READ' }) },
  'alias-permissions.can': nothing,
  'alias-nonces.list': nothing,
  'alias-nonces.create': { send: () => json({}) },
  'alias-nonces.show': nothing,
  'alias-nonces.delete': nothing,

  'configs.create': { beyond: 'actor:UPDATE', send: (world) => config(world, world.fresh, world.actorId) },
  'configs.list': nothing,
  'configs.show': nothing,
  'configs.update': { send: (world) => config(world, world.configName, world.otherId) },
  'configs.delete': nothing,
  'config-permissions.list': nothing,
  'config-permissions.grant': { send: () => json({ user: 'priv', level: 'READ' }) },
  'config-permissions.can': nothing,
};
