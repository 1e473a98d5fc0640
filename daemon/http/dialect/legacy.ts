// The dialect of the hosted platform: the bodies, statuses, texts and results that differ, by operation id.
// @see docs/legacy.md
import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { failureCodes } from '../../../src/contract/failure-codes.ts';
import { userOperations, userRegistration } from '../../../src/contract/people/users.ts';
import type { Failure } from '../../domain/failure.ts';
import type { Caller } from '../route-handler.ts';
import { type AddedOperation, added } from './added-operation.ts';
import type { ListenerDialect, Refusal, Seen } from './listener-dialect.ts';
import { subscriptionOperations } from './subscriptions.ts';

type Row = object;

/** The hosted platform writes this text in a field that has no time. */
const NO_TIME = 'None';

const fieldOf = (row: Row, name: string): unknown => Reflect.get(row, name) ?? undefined;

/** An actor with its default environment under the camelCase name that the hosted platform uses. */
const actorRow = (row: Row): Row => ({ ...row, defaultEnvironment: fieldOf(row, 'default_environment') });

/** An actor in a search result: with fields of the platform that no actor has here, and with `token` as text. */
const searchedActor = (row: Row): Row => ({
  ...actorRow(row),
  token: String(fieldOf(row, 'token')),
  gid: null,
  uid: null,
  tasdir: null,
});

/**
 * A worker in the format of the hosted platform, where each worker is a container. Here each execution has its own
 * container, so the worker's container fields are derived from its id.
 */
const workerRow = (row: Row): Row => {
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

/** An execution with usage figures, which the platform returns even if nothing was measured. */
const executionRow = (row: Row): Row => ({
  ...row,
  cpu: fieldOf(row, 'cpu') ?? 0,
  io: fieldOf(row, 'io') ?? 0,
});

/** A nonce whose id is its secret, if the secret can be shown. */
const nonceRow = (row: Row, secretOf: (id: string) => string | undefined): Row => {
  const id = String(fieldOf(row, 'id'));
  return { ...row, id: secretOf(id) ?? id, lastUseTime: fieldOf(row, 'lastUseTime') ?? NO_TIME };
};

interface Page {
  readonly search: readonly Row[];
}

const eachRow = (
  found: readonly Row[] | Page,
  listed: (row: Row) => Row,
  searched: (row: Row) => Row = listed,
): unknown => ('search' in found ? { ...found, search: found.search.map(searched) } : found.map(listed));

const { 'users.create': create, 'users.update': update, 'users.delete': remove } = userOperations;

const registration = z.extend(userRegistration, { password: z.optional(userRegistration.shape.password) });

/** A random password for a user without one: the user can log in only after an admin has set another. */
const unknownPassword = (): string => randomBytes(32).toString('base64url');

const profileOperations: readonly AddedOperation[] = [
  added(
    { ...create, id: 'profiles.create', path: '/profiles/v2', input: registration },
    (handlers) => (context) =>
      handlers['users.create']({
        ...context,
        input: { ...context.input, password: context.input.password ?? unknownPassword() },
      }),
  ),
  added({ ...update, id: 'profiles.update', path: '/profiles/v2/:username' }, (handlers) => handlers['users.update']),
  added({ ...remove, id: 'profiles.delete', path: '/profiles/v2/:username' }, (handlers) => handlers['users.delete']),
];

interface LegacyOptions {
  /** The secret of the nonce with this public id. Undefined if it is not stored, or if the caller may not see it. */
  readonly nonceSecret: (caller: Caller, id: string) => string | undefined;
}

/** The platform returns status 400 where the contract has these statuses. */
const AS_BAD_REQUEST: ReadonlySet<number> = new Set([403, 409]);

const refusal = ({ code, message, detail }: Failure): Refusal | undefined => {
  const denied = detail?.['denied'];
  if (typeof denied === 'string') return { status: 400, message: denied };
  return AS_BAD_REQUEST.has(failureCodes[code].status) ? { status: 400, message } : undefined;
};

/** On the platform, a stateless actor has no state resource. */
const noState = ({ code, message }: Failure): Refusal | undefined =>
  code === 'ACTOR_STATELESS' ? { status: 404, message } : undefined;

/** The platform writes this text without its first letter, and clients compare the text. */
const withoutFirstLetter = (failure: Failure): Refusal | undefined => {
  const { status, message = '' } = refusal(failure) ?? {};
  return status !== undefined && message.startsWith('you do not have UPDATE access')
    ? { status, message: message.slice(1) }
    : undefined;
};

const searchedRow: Readonly<Record<string, typeof workerRow>> = {
  actors: searchedActor,
  executions: executionRow,
  workers: workerRow,
};

/** Makes the dialect for programs that were written for the hosted platform. */
export const legacyDialect = ({ nonceSecret }: LegacyOptions): ListenerDialect => {
  const actor = { result: actorRow };
  const forms = { body: 'form-or-json' } as const;
  const shownNonce = (row: object, { caller }: Seen) => nonceRow(row, (id) => caller && nonceSecret(caller, id));
  const nonce = { result: shownNonce };
  const nonces = { result: (rows: readonly object[], seen: Seen) => rows.map((row) => shownNonce(row, seen)) };
  return {
    refusal,
    added: [...subscriptionOperations, ...profileOperations],
    rules: {
      'actors.create': actor,
      'actors.list': { result: (found) => eachRow(found, actorRow, searchedActor) },
      'actors.show': actor,
      'actors.update': {
        ...actor,
        // Clients send back the whole record that they read, in which `stateless` may be wrong.
        input: (input, seen) => {
          const { stateless: _stateless, ...others } = input;
          return seen.actor?.stateless === true ? others : input;
        },
      },
      'admin.actors': {
        result: (rows) => rows.map((row) => ({ ...actorRow(row), workers: row.workers.map(workerRow) })),
      },
      'admin.workers': { result: (found) => ({ ...found, workers: found.workers.map(workerRow) }) },
      'executions.list': { result: (found) => ('search' in found ? eachRow(found, executionRow) : found) },
      'executions.show': { result: executionRow },
      'state.show': { result: ({ state }) => ({ state }) },
      'state.set': { ...actor, refusal: noState },
      'state.restore': { ...actor, refusal: noState },
      'workers.list': { result: (found) => eachRow(found, workerRow) },
      'workers.show': { result: workerRow },
      'search.find': {
        result: (found, { params }) =>
          eachRow(found, searchedRow[params['type']?.toLowerCase() ?? ''] ?? ((row) => row)),
      },
      'configs.create': forms,
      'configs.update': forms,
      'config-permissions.grant': forms,
      'aliases.update': { refusal: withoutFirstLetter },
      'nonces.list': nonces,
      'nonces.create': nonce,
      'nonces.show': nonce,
      'alias-nonces.list': nonces,
      'alias-nonces.create': nonce,
      'alias-nonces.show': nonce,
    },
  };
};
