// The table of all operations, by id.

import * as z from 'zod/mini';
import { activityOperations } from './actors/activity.ts';
import { actorOperations } from './actors/actors.ts';
import { adminOperations } from './actors/admin.ts';
import { aliasOperations } from './actors/aliases.ts';
import { configOperations } from './actors/configs.ts';
import { cronOperations } from './actors/cron.ts';
import { deliveryOperations } from './actors/deliveries.ts';
import { eventOperations } from './actors/events.ts';
import { executionSearchOperations } from './actors/execution-search.ts';
import { executionOperations } from './actors/executions.ts';
import { messageOperations } from './actors/messages.ts';
import { nonceOperations } from './actors/nonces.ts';
import { permissionOperations } from './actors/permissions.ts';
import { resultOperations } from './actors/results.ts';
import { searchOperations } from './actors/search.ts';
import { settledOperations } from './actors/settled.ts';
import { sourceOperations } from './actors/sources.ts';
import { stateOperations } from './actors/state.ts';
import { workerOperations } from './actors/workers.ts';
import { clockOperations } from './clock.ts';
import { authorizeOperations } from './oauth/authorize.ts';
import { clientOperations } from './oauth/clients.ts';
import { loginOperations } from './oauth/logins.ts';
import { metadataOperations } from './oauth/metadata.ts';
import { tokenOperations } from './oauth/token.ts';
import { operation } from './operation.ts';
import { daemonOperations } from './owner/daemon.ts';
import { dataOperations } from './owner/data.ts';
import { imageOperations } from './owner/images.ts';
import { shellOperations } from './owner/shells.ts';
import { profileOperations } from './people/profiles.ts';
import { tenantOperations } from './people/tenants.ts';
import { userOperations } from './people/users.ts';
import { nothing } from './wire.ts';

const healthOperations = {
  'health.show': operation({
    id: 'health.show',
    method: 'GET',
    path: '/healthz',
    guard: 'public',
    body: 'none',
    answer: 'bare',
    summary: 'Check that the daemon is up',
    query: nothing,
    input: nothing,
    result: z.object({ status: z.string(), version: z.string(), instance: z.string() }),
    failures: [],
  }),
  'openapi.show': operation({
    id: 'openapi.show',
    method: 'GET',
    path: '/openapi.json',
    guard: 'public',
    body: 'none',
    answer: 'bare',
    summary: 'Get this contract as an OpenAPI 3.1 document',
    query: nothing,
    input: nothing,
    result: z.looseObject({ openapi: z.string() }),
    failures: [],
  }),
  'docs.show': operation({
    id: 'docs.show',
    method: 'GET',
    path: '/docs',
    guard: 'public',
    body: 'none',
    answer: 'page',
    summary: 'Show this contract as a web page',
    query: nothing,
    input: nothing,
    result: z.string(),
    failures: [],
  }),
} as const;

/** The public operations: served on the TCP ports and described in the OpenAPI document. */
export const serviceOperations = {
  ...healthOperations,
  ...authorizeOperations,
  ...tokenOperations,
  ...metadataOperations,
  ...clientOperations,
  ...loginOperations,
  ...userOperations,
  ...tenantOperations,
  ...profileOperations,
  ...actorOperations,
  ...cronOperations,
  ...messageOperations,
  ...executionOperations,
  ...executionSearchOperations,
  ...settledOperations,
  ...resultOperations,
  ...eventOperations,
  ...deliveryOperations,
  ...workerOperations,
  ...searchOperations,
  ...adminOperations,
  ...sourceOperations,
  ...activityOperations,
  ...configOperations,
  ...stateOperations,
  ...aliasOperations,
  ...permissionOperations,
  ...nonceOperations,
  ...clockOperations,
} as const;

/** The owner operations: served on the management socket only. */
const ownerOperations = {
  ...daemonOperations,
  ...imageOperations,
  ...shellOperations,
  ...dataOperations,
} as const;

export const operations = { ...serviceOperations, ...ownerOperations } as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
export type ServiceOperationId = keyof typeof serviceOperations;
export type OwnerOperationId = keyof typeof ownerOperations;
