// Responses of every operation on actors, schedules, searches and admin views, checked against the contract.

import { showEveryAnswer } from '../../support/contract/every-operation.ts';
import { actorScenarios } from '../../support/scenarios/actors.ts';

showEveryAnswer(actorScenarios);
