// Answers of every operation on deliveries and webhook tests, checked against the contract.

import { deliveryScenarios } from '../../support/scenarios/deliveries.ts';
import { showEveryAnswer } from '../../support/contract/every-operation.ts';

showEveryAnswer(deliveryScenarios);
