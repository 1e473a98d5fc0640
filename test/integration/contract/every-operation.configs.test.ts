// Responses of every operation on configs and states, checked against the contract.

import { showEveryAnswer } from '../../support/contract/every-operation.ts';
import { configScenarios } from '../../support/scenarios/configs.ts';

showEveryAnswer(configScenarios);
