// Table columns, id and name of each kind of resource.

import { fields, timedFlows } from '../../contract/for-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { formatStatus } from '../../contract/outcome.ts';
import type { View } from '../../ui/format/view.ts';
import { ACTOR, ACTOR_ID, type OfActor } from './actor-names.ts';

export type Actor = ResultOf<Operations['actors.show']>;
export type Execution = ResultOf<Operations['executions.show']>;
export type Alias = ResultOf<Operations['aliases.show']>;
type WaitingMessage = NonNullable<ResultOf<Operations['messages.count']>['waiting']>[number];
export type Worker = ResultOf<Operations['workers.list']>[number];
export type Nonce = ResultOf<Operations['nonces.show']>;
export type Client = ResultOf<Operations['clients.create']>;
type ClientDetail = ResultOf<Operations['clients.show']>;
type Profile = ResultOf<Operations['profiles.show']>;
type TenantEntry = ResultOf<Operations['tenants.list']>[number];
type Tenant = ResultOf<Operations['tenants.show']>;
export type User = ResultOf<Operations['users.create']>;

/** A row of an execution list, with its actor, because a list may cover several actors. */
export type ExecutionRow = ResultOf<Operations['executions.list']>['executions'][number] &
  OfActor &
  Pick<Partial<Execution>, 'trigger' | 'runtimeMs'>;

/** Milliseconds between two timestamps; undefined if either is missing. */
export const between = (from: string | null | undefined, to: string | null | undefined): number | undefined =>
  from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : undefined;

/** True while the execution runs. Its run time still grows. */
export const isRunning = ({ status }: { readonly status?: unknown }): boolean => status === 'RUNNING';

/** Run time in milliseconds; for a running execution, the time so far. Undefined if the execution never started. */
const ranFor = ({ startTime, finishTime, runtimeMs }: ExecutionRow): number | undefined =>
  startTime ? (runtimeMs ?? between(startTime, finishTime)) : undefined;

export const executionRowView: View<ExecutionRow> = {
  id: ({ id }) => id,
  fields: [
    ...['id', 'actorId', 'actorName', 'status', 'exitCode', 'reason', 'trigger'],
    ...['messageReceivedTime', 'startTime', 'finishTime', 'runtimeMs'],
  ],
  columns: [
    { header: 'EXECUTION', value: ({ id }) => id, role: 'id' },
    ACTOR,
    { header: 'STATUS', value: ({ status }) => status, words: formatStatus, kind: 'status' },
    { header: 'EXIT', value: ({ exitCode }) => exitCode, kind: 'number', inWords: true },
    { header: 'STARTED', value: ({ startTime }) => startTime, kind: 'time' },
    { header: 'DURATION', value: ranFor, kind: 'duration', soFar: isRunning, whole: true },
    { header: 'TRIGGER', value: ({ trigger }) => trigger },
    { header: 'REASON', value: ({ reason }) => reason, wide: true },
    { header: 'RECEIVED', value: ({ messageReceivedTime }) => messageReceivedTime, kind: 'time', wide: true },
    { header: 'FINISHED', value: ({ finishTime }) => finishTime, kind: 'time', wide: true },
    ACTOR_ID,
  ],
};

export const waitingMessageView: View<WaitingMessage> = {
  id: ({ executionId }) => executionId,
  fields: fields.waitingMessage,
  columns: [
    { header: 'EXECUTION', value: ({ executionId }) => executionId, role: 'id' },
    { header: 'TYPE', value: ({ type }) => type },
    { header: 'SIZE', value: ({ size }) => size, kind: 'bytes' },
    { header: 'RECEIVED', value: ({ receivedAt }) => receivedAt, kind: 'time' },
    { header: 'FROM', value: ({ from }) => from },
  ],
};

export const aliasView: View<Alias & OfActor> = {
  id: (row) => row.alias,
  name: (row) => row.alias,
  fields: [...fields.alias, 'actorName'],
  columns: [
    { header: 'ALIAS', value: (row) => row.alias, role: 'name' },
    ACTOR,
    ACTOR_ID,
    { header: 'OWNER', value: ({ owner }) => owner },
  ],
};

export const workerView: View<Worker> = {
  id: ({ id }) => id,
  fields: fields.worker,
  columns: [
    { header: 'WORKER', value: ({ id }) => id, role: 'id' },
    { header: 'STATUS', value: ({ status }) => status, kind: 'status' },
    { header: 'IMAGE', value: ({ image }) => image },
    { header: 'EXECUTION', value: ({ executionId }) => executionId },
    { header: 'LAST RUN', value: ({ lastExecutionTime }) => lastExecutionTime, kind: 'time' },
    { header: 'CREATED', value: ({ createTime }) => createTime, kind: 'time', wide: true },
  ],
};

export const nonceView: View<Nonce> = {
  id: ({ id }) => id,
  fields: fields.nonce,
  columns: [
    { header: 'NONCE', value: ({ id }) => id, role: 'id' },
    { header: 'LEVEL', value: ({ level }) => level },
    { header: 'USES', value: ({ currentUses }) => currentUses, kind: 'number' },
    { header: 'LEFT', value: ({ remainingUses }) => (remainingUses === -1 ? 'unlimited' : remainingUses) },
    { header: 'LAST USED', value: ({ lastUseTime }) => lastUseTime, kind: 'time' },
    { header: 'EXPIRES', value: ({ expireTime }) => expireTime, kind: 'time' },
    { header: 'OWNER', value: ({ owner }) => owner, wide: true },
    { header: 'ROLES', value: ({ roles }) => roles.join(','), wide: true },
    { header: 'DESCRIPTION', value: ({ description }) => description, wide: true },
    { header: 'CREATED', value: ({ createTime }) => createTime, kind: 'time', wide: true },
  ],
};

export const clientView: View<Client> = {
  id: ({ consumerKey }) => consumerKey,
  name: ({ name }) => name,
  fields: fields.client.filter((field) => field !== 'consumerSecret'),
  columns: [
    { header: 'NAME', value: ({ name }) => name, role: 'name' },
    { header: 'CLIENT ID', value: ({ consumerKey }) => consumerKey, role: 'id' },
    { header: 'GRANTS', value: ({ grants }) => grants.join(',') },
    { header: 'REDIRECTS', value: ({ callbackUrl }) => callbackUrl },
    { header: 'DESCRIPTION', value: ({ description }) => description, wide: true },
    { header: 'CREATED', value: ({ createTime }) => createTime, kind: 'time' },
    { header: 'PUBLIC', value: (row) => row.public, wide: true },
    { header: 'TIER', value: ({ tier }) => tier, wide: true },
    { header: 'OLD SECRET UNTIL', value: ({ previousValidUntil }) => previousValidUntil, kind: 'time', wide: true },
  ],
};

export const clientDetailView: View<ClientDetail> = {
  id: clientView.id,
  name: ({ name }) => name,
  fields: fields.clientDetail.filter((field) => field !== 'consumerSecret'),
  columns: [
    ...clientView.columns,
    { header: 'ACCESS TOKENS', value: ({ tokens }) => tokens.access, kind: 'number' },
    { header: 'REFRESH TOKENS', value: ({ tokens }) => tokens.refresh, kind: 'number' },
  ],
};

export const userView: View<User> = {
  id: ({ username }) => username,
  name: ({ username }) => username,
  fields: fields.user,
  columns: [
    { header: 'NAME', value: ({ username }) => username, role: 'name' },
    { header: 'TENANT', value: ({ tenant }) => tenant },
    { header: 'ROLES', value: ({ roles }) => roles.join(',') },
    { header: 'EMAIL', value: ({ email }) => email },
    { header: 'FULL NAME', value: ({ full_name }) => full_name, wide: true },
    { header: 'PHONE', value: ({ phone }) => phone, wide: true },
    { header: 'MOBILE', value: ({ mobile_phone }) => mobile_phone, wide: true },
    { header: 'STATUS', value: ({ status }) => status, wide: true },
  ],
};

export const profileView: View<Profile> = {
  id: ({ username }) => username,
  fields: fields.profile,
  columns: [
    { header: 'NAME', value: ({ username }) => username, role: 'name' },
    { header: 'FULL NAME', value: ({ full_name }) => full_name },
    { header: 'EMAIL', value: ({ email }) => email },
    { header: 'PHONE', value: ({ phone }) => phone, wide: true },
    { header: 'MOBILE', value: ({ mobile_phone }) => mobile_phone, wide: true },
    { header: 'STATUS', value: ({ status }) => status, wide: true },
    { header: 'UID', value: ({ uid }) => uid, kind: 'number', wide: true },
  ],
};

const tenantColumns: View<TenantEntry>['columns'] = [
  { header: 'ID', value: ({ code }) => code, role: 'name' },
  { header: 'NAME', value: ({ name }) => name, role: 'name' },
  { header: 'BASE URL', value: ({ baseUrl }) => baseUrl },
];

export const tenantEntryView: View<TenantEntry> = {
  id: ({ code }) => code,
  fields: fields.tenantEntry,
  columns: tenantColumns,
};

export const tenantView: View<Tenant> = {
  id: ({ code }) => code,
  fields: fields.tenant,
  columns: [
    ...tenantColumns,
    ...timedFlows.map((flow) => ({
      header: flow.toUpperCase().replace('_', ' '),
      value: ({ lifetimes }: Tenant) => lifetimes[flow] * 1_000,
      kind: 'duration' as const,
    })),
  ],
};
