// Complete records for tests, with changes in the given fields.

import type { TokenRecord } from '../../../daemon/domain/records/account-records.ts';
import type { ActorRecord, ExecutionRecord, MessageRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { StateRecord } from '../../../daemon/domain/records/resource-records.ts';

export const executionRecord = (id: string, changes: Partial<ExecutionRecord> = {}): ExecutionRecord => ({
  id,
  actorId: 'actor1',
  tenant: 'DEV',
  sequence: 1,
  executor: 'ana',
  status: 'SUBMITTED',
  receivedAt: 1,
  ...changes,
});

export const messageRecord = (executionId: string, changes: Partial<MessageRecord> = {}): MessageRecord => ({
  executionId,
  actorId: 'actor1',
  tenant: 'DEV',
  sequence: 1,
  contentType: 'str',
  text: 'hello',
  bodyFile: null,
  size: 5,
  variables: {},
  executor: 'ana',
  actorRevision: 1,
  receivedAt: 1,
  ...changes,
});

export const stateRecord = (actorId: string, version: number, changes: Partial<StateRecord> = {}): StateRecord => ({
  actorId,
  tenant: 'DEV',
  version,
  text: '{}',
  bytes: 2,
  by: 'ana',
  at: 1,
  ...changes,
});

export const tokenRecord = (hash: string, changes: Partial<TokenRecord> = {}): TokenRecord => ({
  hash,
  kind: 'access',
  tenant: 'DEV',
  username: 'ana',
  clientId: 'client1',
  scope: 'PRODUCTION',
  grantId: 'grant1',
  flow: 'password',
  issuedAt: 1,
  ...changes,
});

export const actorRecord = (id: string, changes: Partial<ActorRecord> = {}): ActorRecord => ({
  id,
  tenant: 'DEV',
  owner: 'ana',
  name: 'words',
  description: '',
  image: 'words:1',
  stateless: true,
  status: 'READY',
  statusMessage: '',
  environment: {},
  hints: [],
  type: 'none',
  token: false,
  queue: 'default',
  privileged: false,
  useContainerUid: false,
  revision: 1,
  permissions: { ana: 'UPDATE' },
  startFailures: 0,
  createdAt: 1,
  updatedAt: 1,
  ...changes,
});
