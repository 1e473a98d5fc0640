// The whole service behind its real HTTP wall, on a real store in a folder of its own: every operation has its real handler.
// Only the engine is played by the test; what goes to webhooks is really sent.

import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { resourceAccess } from '../../../daemon/actors/access.ts';
import type { ActorsDependencies } from '../../../daemon/actors/dependencies.ts';
import { actorsHandlers } from '../../../daemon/actors/handlers.ts';
import { nonceRedemption } from '../../../daemon/actors/nonces/redemption.ts';
import { createResults } from '../../../daemon/actors/results/service.ts';
import { clientsHandlers } from '../../../daemon/clients/routes.ts';
import { createPoster } from '../../../daemon/delivery/webhook-poster.ts';
import { createDispatcher } from '../../../daemon/engine/webhook-dispatcher.ts';
import { createApp } from '../../../daemon/http/app.ts';
import { createAuthenticate } from '../../../daemon/http/authenticate.ts';
import { healthHandlers } from '../../../daemon/http/health.ts';
import { loopbackHosts } from '../../../daemon/http/request-gate.ts';
import type { Handlers } from '../../../daemon/http/route-handler.ts';
import { createAuthorizationService } from '../../../daemon/oauth/service.ts';
import type { Bodies } from '../../../daemon/ports/bodies.ts';
import type { Logger } from '../../../daemon/ports/logger.ts';
import type { Logs } from '../../../daemon/ports/logs.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import { profilesHandlers } from '../../../daemon/profiles/routes.ts';
import { openBodies } from '../../../daemon/store/bodies.ts';
import { openLogs } from '../../../daemon/store/logs/logs.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { tenantsHandlers } from '../../../daemon/tenants/routes.ts';
import { createPasswordCheck } from '../../../daemon/users/password-check.ts';
import { usersHandlers } from '../../../daemon/users/routes.ts';
import { createClock } from '../../../daemon/vault/clock.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { openSeal } from '../../../daemon/vault/seal.ts';
import { createVault } from '../../../daemon/vault/vault.ts';
import { docsHandlers } from '../../../daemon/web/docs/routes.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import { replaceFile } from '../../../src/local/atomic-file.ts';
import { type FakeEngine, fakeEngine } from '../engine/fake-engine.ts';
import { type Answer, type Call, call } from './call.ts';

/** Who asks; the token of a user is the user's key. */
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
  /** The same name in another tenant, and an admin there. */
  otherAna: { tenant: 'OTHER', username: 'ana', roles: ['user'] },
  otherAdmin: { tenant: 'OTHER', username: 'root', roles: ['admin'] },
} as const satisfies Record<string, Person>;

export type Name = keyof typeof people;

export interface ActorService {
  readonly folder: string;
  readonly baseUrl: string;
  readonly store: Store;
  readonly engine: FakeEngine;
  readonly logs: Logs;
  readonly bodies: Bodies;
  readonly dependencies: ActorsDependencies;
  /** What was logged as a warning or an error. */
  readonly complaints: readonly string[];
  /** Sends a request with the token of `as`, or without any. */
  ask(as: Name | undefined, method: string, path: string, asked?: Call): Promise<Answer>;
  /** Registers an actor of `as` and answers its id. */
  actor(as: Name, fields?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Sends a text message and answers the id of its execution. */
  message(as: Name, actorId: string, text?: string): Promise<string>;
  /** Turns the clock forward by so many milliseconds. */
  advance(ms: number): void;
  /** Begins the orderly end of the server. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

const digits = (count: number): string => 't'.repeat(count);
/** The access token of a user of this service. */
export const tokenOf = (name: Name): string => `${name}-${digits(32)}`;

/** The password of a user of this service. */
export const passwordOf = (name: Name): string => `password of ${name}`;

const seed = async (store: Store, vault: ReturnType<typeof createVault>): Promise<void> => {
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

/** Starts a service of its own on a free port. */
export const startActorService = async (
  settings: Pick<ActorsDependencies, 'queueLimit' | 'messageLimit' | 'stateLimit' | 'quotas'> = {},
): Promise<ActorService> => {
  const folder = mkdtempSync(join(tmpdir(), 'actorctl-actors-'));
  const complaints: string[] = [];
  const complain = (fields: Readonly<Record<string, unknown>>, message: string) =>
    void complaints.push(
      `${message} ${JSON.stringify(fields, (_, value) => (value instanceof Error ? value.stack : value))}`,
    );
  const logger: Logger = { debug: () => undefined, info: () => undefined, warn: complain, error: complain };
  const time = createClock({ floor: 0 });
  let ahead = 0;
  const clock = { now: () => time.now() + ahead };
  const ids = createIds();
  const vault = createVault({ cost: { logN: 4, r: 8, p: 1 } });
  const store = await openStore({ folder, clock, logger });
  await seed(store, vault);
  const bodies = await openBodies({ folder });
  const logs = await openLogs({ folder, logger, clock });
  const seal = await openSeal({
    file: join(folder, 'config-key'),
    replace: (path, text) => replaceFile(path, (append) => append(text)),
    inUse: false,
  });
  const engine = fakeEngine(store);
  const poster = createPoster({ userAgent: 'actorctl/test', allowPrivate: true });
  const dispatcher = createDispatcher({ store, poster, clock, logger });
  dispatcher.start();
  let port = 0;
  const baseUrl = () => `http://127.0.0.1:${port}`;
  const results = createResults({ store, bodies, clock, logger });
  const dependencies = { store, engine, logs, bodies, results, seal, clock, ids, vault, logger, baseUrl, ...settings };
  const checkPassword = createPasswordCheck({ store, vault, clock, logger });
  const common = { ...dependencies, checkPassword };
  const authorization = createAuthorizationService(common);
  const handlers: Handlers = {
    ...healthHandlers({ version: '0', instance: 'test', baseUrl }),
    ...docsHandlers({ baseUrl }),
    ...authorization.handlers,
    ...clientsHandlers(common),
    ...usersHandlers({ ...common, endSessions: authorization.endSessions }),
    ...tenantsHandlers(common),
    ...profilesHandlers(common),
    ...actorsHandlers(dependencies),
  };
  const app = createApp({
    handlers,
    authenticate: createAuthenticate(common),
    access: resourceAccess({ store }),
    nonces: nonceRedemption({ store, vault, clock, logger }),
    ids,
    logger,
    hosts: () => loopbackHosts(port),
    failurePage: authorization.failurePage,
  });
  await new Promise<void>((resolve) => app.server.listen(0, '127.0.0.1', resolve));
  port = (app.server.address() as AddressInfo).port;

  const ask: ActorService['ask'] = (as, method, path, asked = {}) =>
    call(baseUrl(), method, path, {
      ...asked,
      headers: { ...(as !== undefined && { authorization: `Bearer ${tokenOf(as)}` }), ...asked.headers },
    });
  const expectOk = (answer: Answer): Answer => {
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    return answer;
  };

  return {
    folder,
    baseUrl: baseUrl(),
    store,
    engine,
    logs,
    bodies,
    dependencies,
    complaints,
    ask,
    actor: async (as, fields = {}) =>
      String(expectOk(await ask(as, 'POST', '/actors/v2', { json: { image: 'alpine', ...fields } })).result['id']),
    message: async (as, actorId, text = 'hi') =>
      String(
        expectOk(await ask(as, 'POST', `/actors/v2/${actorId}/messages`, { form: { message: text } })).result[
          'executionId'
        ],
      ),
    advance: (ms) => {
      ahead += ms;
    },
    drain: () => app.drain(),
    async close() {
      await dispatcher.stop({ deadlineMs: 0 });
      await app.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** A refusal in the envelope, with that code and a message like `text`; for toMatchObject. */
export const failed = (code: string, text?: RegExp) => ({
  headers: { 'x-failure-code': code },
  json: { status: 'error', result: null, version: '1.9.1', message: expect.stringMatching(text ?? /./) },
});
