// What answers the operations of the actor service, resource by resource.
import type { ActorsDependencies } from './dependencies.ts';
import { executionsHandlers } from './executions/routes.ts';
import { messagesHandlers } from './messages/routes.ts';
import { registryHandlers } from './registry/routes.ts';
import { workersHandlers } from './workers/routes.ts';

/** All handlers of the actor service. */
export const actorsHandlers = (deps: ActorsDependencies) => ({
  ...registryHandlers(deps),
  ...messagesHandlers(deps),
  ...executionsHandlers(deps),
  ...workersHandlers(deps),
});
