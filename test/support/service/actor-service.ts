// The complete HTTP service with the real handler of every operation, on a real store in a temporary folder. Only the
// scheduler is played by the test. Webhooks are really sent.

import { expect } from 'vitest';
import { configsOf } from '../../../daemon/actors/configs/injection.ts';
import type { ActorsDependencies } from '../../../daemon/actors/dependencies.ts';
import type { Services } from '../../../daemon/app/services.ts';
import { createPoster } from '../../../daemon/delivery/webhook-poster.ts';
import type { Bodies } from '../../../daemon/ports/bodies.ts';
import type { Logger } from '../../../daemon/ports/logger.ts';
import type { Logs } from '../../../daemon/ports/logs.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import type { Vault } from '../../../daemon/ports/vault.ts';
import { createDispatcher } from '../../../daemon/scheduler/webhook-dispatcher.ts';
import type { Dialect } from '../../../src/contract/dialect.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import type { FakeScheduler } from '../engine/fake-scheduler.ts';
import { type Answer, type Call, call, keptConnections } from './call.ts';
import { composeServices, type ServiceSettings } from './composed-services.ts';
import { type ListeningLegacy, listenLegacy } from './legacy-listener.ts';

/** A caller. The token of a user is derived from its key in `people`. */
export interface Person {
  readonly tenant: string;
  readonly username: string;
  readonly roles: readonly Role[];
}

export const people = {
  admin: { tenant: 'DEV', username: 'root', roles: ['admin'] },
  ana: { tenant: 'DEV', username: 'ana', roles: ['user'] },
  bob: { tenant: 'DEV', username: 'bob', roles: ['user'] },
  priv: { tenant: 'DEV', username: 'priv', roles: ['privileged'] },
  /** A user of the same name in another tenant, and an admin there. */
  otherAna: { tenant: 'OTHER', username: 'ana', roles: ['user'] },
  otherAdmin: { tenant: 'OTHER', username: 'root', roles: ['admin'] },
} as const satisfies Record<string, Person>;

export type Name = keyof typeof people;

export interface ActorService {
  readonly folder: string;
  /** The dialect of the listener of `ask` and `baseUrl`. */
  readonly dialect: Dialect;
  readonly baseUrl: string;
  readonly store: Store;
  readonly scheduler: FakeScheduler;
  readonly logs: Logs;
  readonly bodies: Bodies;
  readonly dependencies: ActorsDependencies;
  readonly services: Services;
  /** The logged warnings and errors. */
  readonly complaints: readonly string[];
  /** Sends a request with the token of `as`, or without a token. */
  ask(as: Name | undefined, method: string, path: string, asked?: Call): Promise<Answer>;
  /** The same at the https listener for programs of the hosted platform, which starts with the first call. */
  askLegacy: ActorService['ask'];
  /** The same service, with `ask` and `baseUrl` of that listener. Closing one closes both. */
  atLegacy(): Promise<ActorService>;
  /** Registers an actor of `as` and returns its id. */
  actor(as: Name, fields?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Sends a text message and returns the id of its execution. */
  message(as: Name, actorId: string, text?: string): Promise<string>;
  /** Moves the clock forward by this number of milliseconds. */
  advance(ms: number): void;
  /** Issues a one-time link that logs a browser in as `as`, and returns its path. */
  loginLink(as: Name): string;
  /** Starts the orderly shutdown of the server. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

const digits = (count: number): string => 't'.repeat(count);
/** The access token of a user of this service. */
export const tokenOf = (name: Name): string => `${name}-${digits(32)}`;

/** The password of a user of this service. */
export const passwordOf = (name: Name): string => `password of ${name}`;

const seed = async (store: Store, vault: Vault): Promise<void> => {
  const names = Object.keys(people) as Name[];
  const hashes = new Map<Name, string>();
  for (const name of names) hashes.set(name, await vault.hashPassword(passwordOf(name)));
  await store.transact((tx) => {
    for (const name of names) {
      const { tenant, username, roles } = people[name];
      tx.put('tenants', { id: tenant, name: tenant, lifetimes: {}, createdAt: 0 });
      tx.put('users', {
        tenant,
        username,
        roles,
        passwordHash: hashes.get(name) ?? '',
        uid: 1,
        profile: { email: '', firstName: '', lastName: '', phone: '', mobilePhone: '' },
        createdAt: 0,
      });
      tx.put('clients', {
        id: `client-${name}`,
        tenant,
        owner: username,
        name,
        description: '',
        tier: '',
        secretHash: '',
        redirectUris: [],
        grants: [],
        createdAt: 0,
      });
      tx.put('tokens', {
        hash: vault.digest(tokenOf(name)),
        kind: 'access',
        tenant,
        username,
        clientId: `client-${name}`,
        scope: 'PRODUCTION',
        grantId: name,
        flow: 'password',
        issuedAt: 0,
      });
    }
  });
};

/**
 * Starts a separate service on a free port. Its requests share connections.
 * @param keepsConnections false: each request has a connection of its own
 */
export const startActorService = async (
  settings: ServiceSettings = {},
  keepsConnections = true,
): Promise<ActorService> => {
  const complaints: string[] = [];
  const complain = (fields: Readonly<Record<string, unknown>>, message: string) =>
    void complaints.push(
      `${message} ${JSON.stringify(fields, (_, value) => (value instanceof Error ? value.stack : value))}`,
    );
  const logger: Logger = { debug: () => undefined, info: () => undefined, warn: complain, error: complain };
  const composed = await composeServices(logger, settings);
  const { folder, store, scheduler, logs, bodies, dependencies, services } = composed;
  const { clock } = dependencies;
  await seed(store, composed.vault);
  const poster = createPoster({ userAgent: 'actorctl/test', allowPrivate: true });
  const dispatcher = createDispatcher({ store, poster, clock, configs: configsOf(dependencies), logger });
  dispatcher.start();
  const { app } = await composed.listen((hosts) => services.app(hosts, false));
  const { baseUrl } = dependencies;
  const connections = keepsConnections ? keptConnections() : undefined;

  let legacy: Promise<ListeningLegacy> | undefined;
  const askAt = (origin: string, ...[as, method, path, asked = {}]: Parameters<ActorService['ask']>) =>
    call(
      origin,
      method,
      path,
      {
        ...asked,
        headers: { ...(as !== undefined && { authorization: `Bearer ${tokenOf(as)}` }), ...asked.headers },
      },
      connections,
    );
  const ask: ActorService['ask'] = (...asked) => askAt(baseUrl(), ...asked);
  const legacyUrl = async (): Promise<string> => {
    legacy ??= listenLegacy(services);
    return (await legacy).baseUrl;
  };
  const askLegacy: ActorService['ask'] = async (...asked) => askAt(await legacyUrl(), ...asked);
  const expectOk = (answer: Answer): Answer => {
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    return answer;
  };

  const service: ActorService = {
    folder,
    dialect: 'modern',
    baseUrl: baseUrl(),
    store,
    scheduler,
    logs,
    bodies,
    dependencies,
    services,
    complaints,
    ask,
    askLegacy,
    atLegacy: async () => ({ ...service, dialect: 'legacy', baseUrl: await legacyUrl(), ask: askLegacy }),
    actor: async (as, fields = {}) =>
      String(expectOk(await ask(as, 'POST', '/actors/v2', { json: { image: 'alpine', ...fields } })).result['id']),
    message: async (as, actorId, text = 'hi') =>
      String(
        expectOk(await ask(as, 'POST', `/actors/v2/${actorId}/messages`, { form: { message: text } })).result[
          'executionId'
        ],
      ),
    advance: composed.advance,
    loginLink: (as) => services.loginLink(people[as]).url.slice(baseUrl().length),
    drain: () => app.drain(),
    async close() {
      connections?.close();
      await dispatcher.stop({ deadlineMs: 0 });
      await (await legacy)?.app.close();
      await composed.close();
    },
  };
  return service;
};

/** An error response with that code and a message like `text`, for toMatchObject. */
export const failed = (code: string, text?: RegExp) => ({
  headers: { 'x-failure-code': code },
  json: { status: 'error', result: null, version: '1.9.1', message: expect.stringMatching(text ?? /./) },
});
