// Answers of every operation on configs and states, checked against the contract.

import { configScenarios } from '../../support/scenarios/configs.ts';
import { showEveryAnswer } from '../../support/contract/every-operation.ts';

showEveryAnswer(configScenarios);
