// Responses of every operation on deliveries and webhook tests, checked against the contract.

import { showEveryAnswer } from '../../support/contract/every-operation.ts';
import { deliveryScenarios } from '../../support/scenarios/deliveries.ts';

showEveryAnswer(deliveryScenarios);
