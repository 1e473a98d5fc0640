// Every answer of configs and of states.

import { configScenarios } from '../../support/scenarios/configs.ts';
import { showEveryAnswer } from '../../support/service/every-operation.ts';

showEveryAnswer(configScenarios);
