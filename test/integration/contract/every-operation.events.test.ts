// Answers of every operation on events and links, checked against the contract.

import { eventScenarios } from '../../support/scenarios/events.ts';
import { showEveryAnswer } from '../../support/service/every-operation.ts';

showEveryAnswer(eventScenarios);
