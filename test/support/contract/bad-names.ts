// A service with one resource of every kind that a path can name, and helpers for tests of invalid names and values.
import { collections } from '../../../daemon/domain/records/collections.ts';
import type { ReadView } from '../../../daemon/ports/store.ts';
import { type Operation, parameterNames } from '../../../src/contract/operation.ts';
import { serviceOperations } from '../../../src/contract/operations.ts';
import { type ActorService, type Name, startActorService } from '../service/actor-service.ts';
import type { Answer, Call } from '../service/call.ts';

export const all: readonly Operation[] = Object.values(serviceOperations);

type Fields = Readonly<Record<string, unknown>>;

export interface NamesFixture {
  readonly service: ActorService;
  /** A name that is not in use. */
  fresh(): string;
  /** The path of an operation. Parameters that `given` omits name existing resources. */
  pathOf(operation: Operation, given?: Readonly<Record<string, string>>): string;
  /** The name that a parameter has by default. */
  nameOf(operation: Operation, parameter: string): string;
  /** A valid body of the operation, or undefined if its body has no fields. */
  bodyOf(operation: Operation): Fields | undefined;
  /** Sends a request of the admin who owns all resources. */
  ask(operation: Operation, path: string, call?: Call): Promise<Answer>;
  /** Figures that every change of the store changes: how often a record was put, and the records of each collection. */
  changes(): readonly number[];
}

const namesOfCollections = Object.keys(collections) as (keyof typeof collections)[];

/** The complete content of a store, as text. */
export const contentOf = (store: ReadView): string => {
  return JSON.stringify(namesOfCollections.map((name) => [name, [...store.all(name)]]));
};

/** Creates one resource of every kind, owned by `as`. */
const furnish = async (service: ActorService, as: Name) => {
  const make = async (path: string, json: Fields): Promise<Answer['result']> => {
    const answer = await service.ask(as, 'POST', path, { json });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.result;
  };
  const actorId = await service.actor(as, { stateless: false });
  const alias = `alias-of-${as}`;
  await make('/actors/v2/aliases', { alias, actorId });
  const nonceAt = async (path: string) => {
    const id = String((await make(`${path}/nonces`, {}))['id']);
    return id.slice(0, id.indexOf('_') + 14);
  };
  const configName = `config-of-${as}`;
  await make('/actors/v2/configs', { name: configName, value: 1, actors: '', is_secret: false });
  const clientName = `app-of-${as}`;
  await make('/clients/v2', { clientName });
  return {
    actorId,
    alias,
    configName,
    clientName,
    executionId: await service.message(as, actorId),
    actorNonce: await nonceAt(`/actors/v2/${actorId}`),
    aliasNonce: await nonceAt(`/actors/v2/aliases/${alias}`),
  };
};

/** Starts a separate service, and creates another resource of each kind in a second tenant. Returns both. */
export const startNamesFixture = async () => {
  const service = await startActorService();
  let puts = 0;
  for (const name of namesOfCollections)
    service.store.watch(name, () => {
      puts += 1;
    });
  const own = await furnish(service, 'admin');
  const other = await furnish(service, 'otherAdmin');
  let count = 0;
  const fresh = () => {
    count += 1;
    return `fresh-${count}`;
  };
  const names: Readonly<Record<string, string>> = {
    ...own,
    version: '0',
    username: 'bob',
    tenantId: 'OTHER',
    type: 'actors',
    eventNumber: '1',
    deliveryId: 'Dnone00000000',
    workerId: 'Wnone00000000',
    loginId: 'Lnone00000000',
  };
  const nameOf: NamesFixture['nameOf'] = ({ path }, parameter) => {
    if (parameter === 'nonceId') return path.includes(':alias') ? own.aliasNonce : own.actorNonce;
    const name = names[parameter];
    if (name === undefined) throw new Error(`say here what stands in the place of :${parameter}`);
    return name;
  };
  const grant = { user: 'bob', level: 'READ' };
  const config = { value: 1, actors: '', is_secret: false };
  const bodies: Readonly<Record<string, () => Fields>> = {
    'actors.create': () => ({ image: 'alpine', stateless: false }),
    'actors.update': () => ({ image: 'alpine' }),
    'aliases.create': () => ({ alias: fresh(), actorId: own.actorId }),
    'aliases.update': () => ({ actorId: own.actorId }),
    'configs.create': () => ({ name: fresh(), ...config }),
    'configs.update': () => ({ name: own.configName, ...config }),
    'permissions.grant': () => grant,
    'alias-permissions.grant': () => grant,
    'config-permissions.grant': () => grant,
    'clients.create': () => ({ clientName: fresh() }),
    'users.create': () => ({ username: fresh(), password: 'correct horse battery' }),
    'tenants.create': () => ({ id: `T${fresh().toUpperCase()}` }),
    'events.emit': () => ({ event_type: 'CUSTOM' }),
    'webhooks.test': () => ({}),
  };
  const fixture: NamesFixture = {
    service,
    fresh,
    nameOf,
    pathOf: (operation, given = {}) =>
      operation.path.replace(
        /:(\w+)/g,
        (_, name: string) => given[name] ?? encodeURIComponent(nameOf(operation, name)),
      ),
    bodyOf: ({ id, body }) => (/json/.test(body) ? (bodies[id]?.() ?? {}) : undefined),
    ask: ({ method, body }, path, call = body === 'none' ? {} : { json: {} }) =>
      service.ask('admin', method, path, call),
    changes: () => [puts, ...namesOfCollections.map((name) => service.store.count(name))],
  };
  return { fixture, other };
};

/** All path parameters, each with its operation. */
export const places = all.flatMap((operation) =>
  parameterNames(operation.path).map((parameter) => ({ operation, parameter })),
);
