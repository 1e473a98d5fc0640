// Every answer of actors, their plans, searches, and what admins see of a tenant.
import { showEveryAnswer } from '../support/every-operation.ts';
import { actorScenarios } from '../support/scenarios/actors.ts';

showEveryAnswer(actorScenarios);
