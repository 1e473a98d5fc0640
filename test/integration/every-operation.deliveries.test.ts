// Every answer of deliveries and of trying a webhook out.
import { showEveryAnswer } from '../support/every-operation.ts';
import { deliveryScenarios } from '../support/scenarios/deliveries.ts';

showEveryAnswer(deliveryScenarios);
