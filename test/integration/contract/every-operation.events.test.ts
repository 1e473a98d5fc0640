// Responses of every operation on events and links, checked against the contract.

import { showEveryAnswer } from '../../support/contract/every-operation.ts';
import { eventScenarios } from '../../support/scenarios/events.ts';

showEveryAnswer(eventScenarios);
