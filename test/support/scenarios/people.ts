// Scenarios for every response of clients, logins, users, tenants and profiles.

import { type OperationsOf, type Scenario, type Scenarios, within } from '../contract/every-operation.ts';
import { type ActorService, type Name, passwordOf } from '../service/actor-service.ts';
import type { Answer } from '../service/call.ts';
import { tokenRecord } from '../service/records.ts';
import { done, fresh, runningExecution } from './resources.ts';

const CLIENTS = '/clients/v2';
const USERS = '/users/v2';
const TENANTS = '/tenants';

type Json = Readonly<Record<string, unknown>>;

const client = async (service: ActorService, fields: Json = {}): Promise<string> => {
  const clientName = fresh();
  done(await service.ask('ana', 'POST', CLIENTS, { json: { clientName, ...fields } }));
  return clientName;
};

/** Sends a request about a client of ana. */
const ofClient =
  (method: string, path = '', json?: Json, fields: Json = {}): Scenario =>
  async (service) =>
    service.ask(
      'ana',
      method,
      `${CLIENTS}/${await client(service, fields)}${path}`,
      json === undefined ? {} : { json },
    );

const noClient =
  (method: string, path = '', json?: Json): Scenario =>
  (service) =>
    service.ask('ana', method, `${CLIENTS}/${fresh()}${path}`, json === undefined ? {} : { json });

/** Sends a request with the token of a running execution of ana. */
const fromInside =
  (method: string, path: (service: ActorService) => Promise<string>, json?: Json): Scenario =>
  async (service) => {
    const asked = await path(service);
    const inside = await runningExecution(service, await service.actor('ana', { token: true }));
    return inside.ask(method, asked, json === undefined ? {} : { json });
  };

const at =
  (path = '') =>
  async (service: ActorService): Promise<string> =>
    `${CLIENTS}/${await client(service)}${path}`;

const password = 'a password that is long';

const createUser = (service: ActorService, fields: Json = {}): Promise<Answer> =>
  service.ask('admin', 'POST', USERS, { json: { username: fresh(), password, ...fields } });

const user = async (service: ActorService): Promise<string> => {
  const { result } = done(await createUser(service));
  return String(result['username']);
};

/** Sends a request of an admin about an existing user. */
const ofUser =
  (method: string, query = '', json?: Json): Scenario =>
  async (service) =>
    service.ask('admin', method, `${USERS}/${await user(service)}${query}`, json === undefined ? {} : { json });

/** Sends a request of an admin to that path. */
const byAdmin =
  (method: string, path: string, json?: Json): Scenario =>
  (service) =>
    service.ask('admin', method, path, json === undefined ? {} : { json });

const get =
  (path: string, as: Name = 'ana'): Scenario =>
  (service) =>
    service.ask(as, 'GET', path);

/** Starts a login of ana and returns its id. */
const login = async ({ store, dependencies: { ids } }: ActorService): Promise<string> => {
  const [hash, grantId] = [ids.secret(), ids.id()];
  const token = tokenRecord(hash, { username: 'ana', clientId: 'client-ana', flow: 'password', grantId });
  await store.transact((tx) => tx.put('tokens', token));
  return grantId;
};

const basic = `Basic ${Buffer.from(`ana:${passwordOf('ana')}`).toString('base64')}`;

export const peopleScenarios: Scenarios<OperationsOf<'clients' | 'logins' | 'users' | 'tenants' | 'profiles'>> = {
  'clients.create': {
    success: (service) =>
      service.ask(undefined, 'POST', CLIENTS, { json: { clientName: fresh() }, headers: { authorization: basic } }),
    failures: {
      VALIDATION: (service) => service.ask('ana', 'POST', CLIENTS, { json: { clientName: 'no client' } }),
      FORBIDDEN: fromInside('POST', async () => CLIENTS, { clientName: 'inside' }),
      ALREADY_EXISTS: async (service) =>
        service.ask('ana', 'POST', CLIENTS, { json: { clientName: await client(service) } }),
    },
  },
  'clients.list': { success: get(CLIENTS), failures: {} },
  'clients.show': { success: ofClient('GET'), failures: { NOT_FOUND: noClient('GET') } },
  'clients.update': {
    success: ofClient('PUT', '', { description: 'changed' }),
    failures: {
      VALIDATION: ofClient('PUT', '', { clientName: 'another' }),
      FORBIDDEN: fromInside('PUT', at(), {}),
      NOT_FOUND: noClient('PUT', '', {}),
    },
  },
  'clients.delete': {
    success: ofClient('DELETE'),
    failures: { FORBIDDEN: fromInside('DELETE', at()), NOT_FOUND: noClient('DELETE') },
  },
  'clients.rotate': {
    success: ofClient('POST', '/secret', { grace: 60 }),
    failures: {
      VALIDATION: ofClient('POST', '/secret', {}, { public: true, callbackUrl: 'https://app.example/callback' }),
      FORBIDDEN: fromInside('POST', at('/secret'), {}),
      NOT_FOUND: noClient('POST', '/secret', {}),
    },
  },

  'logins.list': {
    success: get('/logins?limit=1000'),
    failures: { FORBIDDEN: fromInside('GET', async () => '/logins') },
  },
  'logins.end': {
    success: async (service) => service.ask('ana', 'DELETE', `/logins/${await login(service)}`),
    failures: {
      FORBIDDEN: fromInside('DELETE', async (service) => `/logins/${await login(service)}`),
      NOT_FOUND: async (service) => service.ask('bob', 'DELETE', `/logins/${await login(service)}`),
    },
  },
  'logins.listOfUser': {
    success: byAdmin('GET', `${USERS}/ana/logins`),
    failures: { NOT_FOUND: byAdmin('GET', `${USERS}/nobody/logins`) },
  },
  'logins.endOfUser': {
    success: async (service) => byAdmin('DELETE', `${USERS}/ana/logins/${await login(service)}`)(service),
    failures: {
      NOT_FOUND: async (service) => byAdmin('DELETE', `${USERS}/bob/logins/${await login(service)}`)(service),
    },
  },

  'users.create': {
    success: (service) => createUser(service, { roles: ['privileged'] }),
    failures: {
      VALIDATION: (service) => createUser(service, { password: 'short' }),
      ALREADY_EXISTS: (service) => createUser(service, { username: 'ana' }),
      NOT_FOUND: (service) => createUser(service, { tenant: 'NOWHERE' }),
    },
  },
  'users.list': {
    success: byAdmin('GET', `${USERS}?tenant=OTHER`),
    failures: { NOT_FOUND: byAdmin('GET', `${USERS}?tenant=NOWHERE`) },
  },
  'users.show': { success: ofUser('GET'), failures: { NOT_FOUND: byAdmin('GET', `${USERS}/nobody`) } },
  'users.update': {
    success: ofUser('PUT', '', { email: 'somebody@example.org', password }),
    failures: {
      VALIDATION: ofUser('PUT', '', { username: 'another' }),
      NOT_FOUND: byAdmin('PUT', `${USERS}/nobody`, {}),
      LAST_ADMIN: byAdmin('PUT', `${USERS}/root`, { roles: ['user'] }),
    },
  },
  'users.delete': {
    success: ofUser('DELETE', '?reassignTo=ana'),
    failures: {
      VALIDATION: byAdmin('DELETE', `${USERS}/priv?reassignTo=priv`),
      NOT_FOUND: byAdmin('DELETE', `${USERS}/nobody`),
      LAST_ADMIN: byAdmin('DELETE', `${USERS}/root`),
      IN_USE: within({}, async (service) => {
        await service.actor('bob');
        return byAdmin('DELETE', `${USERS}/bob`)(service);
      }),
    },
  },
  'tenants.list': { success: (service) => service.ask(undefined, 'GET', TENANTS), failures: {} },
  'tenants.create': {
    success: (service) => service.ask('admin', 'POST', TENANTS, { json: { id: fresh(), lifetimes: { implicit: 60 } } }),
    failures: {
      VALIDATION: byAdmin('POST', TENANTS, { id: 'no_tenant' }),
      ALREADY_EXISTS: byAdmin('POST', TENANTS, { id: 'other' }),
    },
  },
  'tenants.show': {
    success: byAdmin('GET', `${TENANTS}/OTHER`),
    failures: { NOT_FOUND: byAdmin('GET', `${TENANTS}/NOWHERE`) },
  },
  'tenants.update': {
    success: byAdmin('PUT', `${TENANTS}/OTHER`, { name: 'The other one' }),
    failures: {
      VALIDATION: byAdmin('PUT', `${TENANTS}/OTHER`, { lifetimes: { implicit: -1 } }),
      NOT_FOUND: byAdmin('PUT', `${TENANTS}/NOWHERE`, {}),
    },
  },
  'profiles.me': { success: get('/profiles/v2/me'), failures: {} },
  'profiles.list': { success: get('/profiles/v2?username=bob'), failures: {} },
  'profiles.show': {
    success: get('/profiles/v2/bob'),
    failures: { NOT_FOUND: get('/profiles/v2/nobody') },
  },
};
