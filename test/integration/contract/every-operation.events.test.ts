// Every answer of events and links.

import { eventScenarios } from '../../support/scenarios/events.ts';
import { showEveryAnswer } from '../../support/service/every-operation.ts';

showEveryAnswer(eventScenarios);
