// Collects the handlers of the actor service, resource by resource.
import { activityHandlers } from './activity/routes.ts';
import { adminHandlers } from './admin/routes.ts';
import { aliasesHandlers } from './aliases/routes.ts';
import { clockHandlers } from './clock/routes.ts';
import { configsHandlers } from './configs/routes.ts';
import { cronHandlers } from './cron/routes.ts';
import { deliveriesHandlers } from './deliveries/routes.ts';
import type { ActorsDependencies } from './dependencies.ts';
import { eventsHandlers } from './events/routes.ts';
import { executionsHandlers } from './executions/routes.ts';
import { linksHandlers } from './links/routes.ts';
import { messagesHandlers } from './messages/routes.ts';
import { noncesHandlers } from './nonces/routes.ts';
import { permissionsHandlers } from './permissions/routes.ts';
import { registryHandlers } from './registry/routes.ts';
import { resultsHandlers } from './results/routes.ts';
import { searchHandlers } from './search/routes.ts';
import { sourcesHandlers } from './sources/routes.ts';
import { stateHandlers } from './state/routes.ts';
import { workersHandlers } from './workers/routes.ts';

export const actorsHandlers = (deps: ActorsDependencies) => {
  const lists = { ...registryHandlers(deps), ...executionsHandlers(deps), ...workersHandlers(deps) };
  return {
    ...lists,
    ...searchHandlers(deps, lists),
    ...adminHandlers(deps),
    ...sourcesHandlers(deps),
    ...activityHandlers(deps),
    ...messagesHandlers(deps),
    ...resultsHandlers(deps),
    ...eventsHandlers(deps),
    ...linksHandlers(deps),
    ...cronHandlers(deps),
    ...configsHandlers(deps),
    ...stateHandlers(deps),
    ...aliasesHandlers(deps),
    ...permissionsHandlers(deps),
    ...noncesHandlers(deps),
    ...clockHandlers(deps),
    ...deliveriesHandlers(deps),
  };
};
