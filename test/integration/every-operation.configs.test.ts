// Every answer of configs and of states.
import { showEveryAnswer } from '../support/every-operation.ts';
import { configScenarios } from '../support/scenarios/configs.ts';

showEveryAnswer(configScenarios);
