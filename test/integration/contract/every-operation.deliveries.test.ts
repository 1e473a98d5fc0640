// Every answer of deliveries and of trying a webhook out.

import { deliveryScenarios } from '../../support/scenarios/deliveries.ts';
import { showEveryAnswer } from '../../support/service/every-operation.ts';

showEveryAnswer(deliveryScenarios);
