// The table of all operations, by id.
import { activityOperations } from './actors/activity.ts';
import { actorOperations } from './actors/actors.ts';
import { adminOperations } from './actors/admin.ts';
import { aliasOperations } from './actors/aliases.ts';
import { configOperations } from './actors/configs.ts';
import { cronOperations } from './actors/cron.ts';
import { deliveryOperations } from './actors/deliveries.ts';
import { eventOperations } from './actors/events.ts';
import { executionOperations } from './actors/executions.ts';
import { messageOperations } from './actors/messages.ts';
import { nonceOperations } from './actors/nonces.ts';
import { permissionOperations } from './actors/permissions.ts';
import { resultOperations } from './actors/results.ts';
import { searchOperations } from './actors/search.ts';
import { stateOperations } from './actors/state.ts';
import { workerOperations } from './actors/workers.ts';
import { healthOperations } from './health.ts';
import { authorizeOperations } from './oauth/authorize.ts';
import { clientOperations } from './oauth/clients.ts';
import { metadataOperations } from './oauth/metadata.ts';
import { tokenOperations } from './oauth/token.ts';
import { clockOperations } from './owner/clock.ts';
import { daemonOperations } from './owner/daemon.ts';
import { dataOperations } from './owner/data.ts';
import { imageOperations } from './owner/images.ts';
import { profileOperations } from './people/profiles.ts';
import { tenantOperations } from './people/tenants.ts';
import { userOperations } from './people/users.ts';

/** What the ports serve, and the OpenAPI document describes. */
export const serviceOperations = {
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
  ...activityOperations,
  ...configOperations,
  ...stateOperations,
  ...aliasOperations,
  ...permissionOperations,
  ...nonceOperations,
} as const;

/** What only the management socket serves. */
const ownerOperations = { ...daemonOperations, ...clockOperations, ...imageOperations, ...dataOperations } as const;

export const operations = { ...serviceOperations, ...ownerOperations } as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
export type ServiceOperationId = keyof typeof serviceOperations;
export type OwnerOperationId = keyof typeof ownerOperations;
