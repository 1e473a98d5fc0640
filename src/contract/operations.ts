// The whole wire as one table: every operation there is, by id.
import { actorOperations } from './actors.ts';
import { adminOperations } from './admin.ts';
import { aliasOperations } from './aliases.ts';
import { authorizeOperations } from './authorize.ts';
import { clientOperations } from './clients.ts';
import { configOperations } from './configs.ts';
import { cronOperations } from './cron.ts';
import { deliveryOperations } from './deliveries.ts';
import { eventOperations } from './events.ts';
import { executionOperations } from './executions.ts';
import { healthOperations } from './health.ts';
import { messageOperations } from './messages.ts';
import { metadataOperations } from './metadata.ts';
import { nonceOperations } from './nonces.ts';
import { permissionOperations } from './permissions.ts';
import { profileOperations } from './profiles.ts';
import { resultOperations } from './results.ts';
import { searchOperations } from './search.ts';
import { stateOperations } from './state.ts';
import { tenantOperations } from './tenants.ts';
import { tokenOperations } from './token.ts';
import { userOperations } from './users.ts';
import { workerOperations } from './workers.ts';

export const operations = {
  ...healthOperations,
  ...authorizeOperations,
  ...tokenOperations,
  ...metadataOperations,
  ...clientOperations,
  ...userOperations,
  ...tenantOperations,
  ...profileOperations,
  ...actorOperations,
  ...cronOperations,
  ...messageOperations,
  ...executionOperations,
  ...resultOperations,
  ...eventOperations,
  ...deliveryOperations,
  ...workerOperations,
  ...searchOperations,
  ...adminOperations,
  ...configOperations,
  ...stateOperations,
  ...aliasOperations,
  ...permissionOperations,
  ...nonceOperations,
} as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
