// Responses of every operation on the virtual clock, checked against the contract.

import { showEveryAnswer } from '../../support/contract/every-operation.ts';
import { clockScenarios } from '../../support/scenarios/clock.ts';

showEveryAnswer(clockScenarios);
