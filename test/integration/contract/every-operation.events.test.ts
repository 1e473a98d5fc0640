// Answers of every operation on events and links, checked against the contract.

import { eventScenarios } from '../../support/scenarios/events.ts';
import { showEveryAnswer } from '../../support/contract/every-operation.ts';

showEveryAnswer(eventScenarios);
