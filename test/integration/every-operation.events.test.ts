// Every answer of events and links.
import { showEveryAnswer } from '../support/every-operation.ts';
import { eventScenarios } from '../support/scenarios/events.ts';

showEveryAnswer(eventScenarios);
