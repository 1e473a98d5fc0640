// A service with one thing of every kind that a path can name, and what tests of bad names and values do with it.
import { collections } from '../../../daemon/domain/records/collections.ts';
import type { ReadView } from '../../../daemon/ports/store.ts';
import { type Operation, parameterNames } from '../../../src/contract/operation.ts';
import { operations } from '../../../src/contract/operations.ts';
import { type ActorService, type Name, startActorService } from './actor-service.ts';
import type { Answer, Call } from './call.ts';

export const all: readonly Operation[] = Object.values(operations);

type Fields = Readonly<Record<string, unknown>>;

export interface NamesHouse {
  readonly service: ActorService;
  /** A name that nothing has. */
  fresh(): string;
  /** The path of an operation, each parameter as it is told, else one of a thing that is there. */
  pathOf(operation: Operation, told?: Readonly<Record<string, string>>): string;
  /** The name that stands there when nothing else is told. */
  nameOf(operation: Operation, parameter: string): string;
  /** A body that the operation takes as it stands; undefined for one that takes none of fields. */
  bodyOf(operation: Operation): Fields | undefined;
  /** Asks by the admin to whom everything belongs. */
  ask(operation: Operation, path: string, call?: Call): Promise<Answer>;
  /** All there is now; records never change, so what is the same record is the same content. */
  content(): readonly unknown[];
}

const namesOfCollections = Object.keys(collections) as (keyof typeof collections)[];

/** Everything that a store holds, as text. */
export const contentOf = (store: ReadView): string => {
  return JSON.stringify(namesOfCollections.map((name) => [name, [...store.all(name)]]));
};

/** Whether nothing was put or removed in between. */
export const isSameContent = (before: readonly unknown[], after: readonly unknown[]): boolean =>
  before.length === after.length && before.every((record, at) => record === after[at]);

/** One thing of every kind, made by `as`. */
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

/** Starts a service of its own, and one more of everything in another tenant; answers that as well. */
export const startNamesHouse = async () => {
  const service = await startActorService();
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
  };
  const nameOf: NamesHouse['nameOf'] = ({ path }, parameter) => {
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
  const house: NamesHouse = {
    service,
    fresh,
    nameOf,
    pathOf: (operation, told = {}) =>
      operation.path.replace(/:(\w+)/g, (_, name: string) => told[name] ?? encodeURIComponent(nameOf(operation, name))),
    bodyOf: ({ id, body }) => (/json/.test(body) ? (bodies[id]?.() ?? {}) : undefined),
    ask: ({ method, body }, path, call = body === 'none' ? {} : { json: {} }) =>
      service.ask('admin', method, path, call),
    content: () => namesOfCollections.flatMap((name) => [...service.store.all(name)]),
  };
  return { house, other };
};

/** The places of all paths: an operation and one of its parameters. */
export const places = all.flatMap((operation) =>
  parameterNames(operation.path).map((parameter) => ({ operation, parameter })),
);
