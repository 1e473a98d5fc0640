// The parts of the contract that a client needs, as plain values: the request of each operation, the field names of
// each record, lists of allowed values, and limits. The build evaluates this module and bundles the values, so that
// no command constructs the schemas. @see docs/adr/0016-commands-build-no-schemas.md
import { actor, actorRegistration, actorUpdate } from './actors/actors.ts';
import { alias } from './actors/aliases.ts';
import { config } from './actors/configs.ts';
import { cron } from './actors/cron.ts';
import { delivery } from './actors/deliveries.ts';
import { event } from './actors/events.ts';
import { execution } from './actors/executions.ts';
import { waitingMessage } from './actors/messages.ts';
import { nonce } from './actors/nonces.ts';
import { stateEntry } from './actors/state.ts';
import { worker } from './actors/workers.ts';
import { client, clientDetail } from './oauth/clients.ts';
import { login } from './oauth/logins.ts';
import type { Operation } from './operation.ts';
import { type OperationId, operations } from './operations.ts';
import { profile } from './people/profiles.ts';
import { tenant, tenantEntry } from './people/tenants.ts';
import { user } from './people/users.ts';

export { CONFIG_VALUE_LIMIT } from './actors/configs.ts';
export { DELIVERY_HEADER, EVENT_HEADER } from './actors/deliveries.ts';
export { EVENTS_PAGE_MAX, eventTypes } from './actors/events.ts';
export { EXECUTIONS_FOUND_MAX, searchPlaces } from './actors/execution-search.ts';
export { executionStatuses, LONGEST_GRACE } from './actors/executions.ts';
export { DETAILS_LIMIT, IDEMPOTENCY_HEADER, MESSAGE_LIMIT, steeringParameters } from './actors/messages.ts';
export { WORLD } from './actors/permissions.ts';
export { SEARCH_PAGE_MAX, searchOperators, searchTypes } from './actors/search.ts';
export { STATE_LIMIT } from './actors/state.ts';
export { UNASKED_RUNS } from './clock.ts';
export { dialects } from './dialect.ts';
export { grants, timedFlows } from './oauth/grants.ts';
export { LOGINS_LIMIT } from './oauth/logins.ts';
export { SCOPE } from './oauth/token.ts';
export { roles } from './people/users.ts';

export type Route = Pick<Operation, 'id' | 'method' | 'path' | 'guard' | 'answer' | 'summary'>;

export const routes = Object.fromEntries(
  Object.values(operations).map(({ id, method, path, guard, answer, summary }) => [
    id,
    { id, method, path, guard, answer, summary },
  ]),
) as Readonly<Record<OperationId, Route>>;

const { actors: sums, summary: totals } = operations['admin.executions'].result.shape;

const namesOf = ({ shape }: { readonly shape: object }): readonly string[] => Object.keys(shape);

export const fields = {
  actor: namesOf(actor),
  actorRegistration: namesOf(actorRegistration),
  actorUpdate: namesOf(actorUpdate),
  alias: namesOf(alias),
  client: namesOf(client),
  clientDetail: namesOf(clientDetail),
  config: namesOf(config),
  cron: namesOf(cron),
  delivery: namesOf(delivery),
  event: namesOf(event),
  execution: namesOf(execution),
  foundExecution: namesOf(operations['executions.search'].result.shape.executions.def.element),
  executionSums: namesOf(sums.def.element),
  executionTotals: namesOf(totals),
  login: namesOf(login),
  nonce: namesOf(nonce),
  profile: namesOf(profile),
  stateEntry: namesOf(stateEntry),
  tenant: namesOf(tenant),
  tenantEntry: namesOf(tenantEntry),
  user: namesOf(user),
  utilization: namesOf(operations['utilization.show'].result),
  waitingMessage: namesOf(waitingMessage),
  worker: namesOf(worker),
};
