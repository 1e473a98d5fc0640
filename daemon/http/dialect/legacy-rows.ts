// The records of the hosted platform, made from those of the contract.
import { createHash } from 'node:crypto';

type Row = object;

/** The platform writes a time that does not exist as this text. */
const NO_TIME = 'None';

const fieldOf = (row: Row, name: string): unknown => Reflect.get(row, name) ?? undefined;

/** An actor with the camelCase name of its environment. */
export const actorRow = (row: Row): Row => ({ ...row, defaultEnvironment: fieldOf(row, 'default_environment') });

/** An actor in the result of a search: with fields of the platform that no actor has here, and text for `token`. */
export const searchedActor = (row: Row): Row => ({
  ...actorRow(row),
  token: String(fieldOf(row, 'token')),
  gid: null,
  uid: null,
  tasdir: null,
});

/** On the platform each worker is a container. Here an execution has the container, so the id gives these fields. */
export const workerRow = (row: Row): Row => {
  const id = String(fieldOf(row, 'id'));
  return {
    ...row,
    location: 'unix://var/run/docker.sock',
    cid: createHash('sha256').update(id).digest('hex'),
    chName: `worker_${id}`,
    hostId: '0',
    hostIp: '127.0.0.1',
    lastExecutionTime: fieldOf(row, 'lastExecutionTime') ?? NO_TIME,
    lastHealthCheckTime: fieldOf(row, 'lastExecutionTime') ?? fieldOf(row, 'createTime') ?? NO_TIME,
  };
};

/** An execution, which has figures on the platform even where nothing was measured. */
export const executionRow = (row: Row): Row => ({
  ...row,
  cpu: fieldOf(row, 'cpu') ?? 0,
  io: fieldOf(row, 'io') ?? 0,
});

/** A nonce with its secret as its id, if the secret can be shown. */
export const nonceRow = (row: Row, secretOf: (id: string) => string | undefined): Row => {
  const id = String(fieldOf(row, 'id'));
  return { ...row, id: secretOf(id) ?? id, lastUseTime: fieldOf(row, 'lastUseTime') ?? NO_TIME };
};

interface Page {
  readonly search: readonly Row[];
}

export const eachRow = (
  found: readonly Row[] | Page,
  listed: (row: Row) => Row,
  searched: (row: Row) => Row = listed,
): unknown => ('search' in found ? { ...found, search: found.search.map(searched) } : found.map(listed));
