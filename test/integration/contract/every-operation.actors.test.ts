// Every answer of actors, their plans, searches, and what admins see of a tenant.

import { actorScenarios } from '../../support/scenarios/actors.ts';
import { showEveryAnswer } from '../../support/service/every-operation.ts';

showEveryAnswer(actorScenarios);
