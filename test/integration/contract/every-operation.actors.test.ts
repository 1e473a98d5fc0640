// Answers of every operation on actors, cron plans, searches and admin views, checked against the contract.

import { actorScenarios } from '../../support/scenarios/actors.ts';
import { showEveryAnswer } from '../../support/contract/every-operation.ts';

showEveryAnswer(actorScenarios);
