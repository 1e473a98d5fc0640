// Every answer of clients, users, tenants and profiles.

import { peopleScenarios } from '../../support/scenarios/people.ts';
import { showEveryAnswer } from '../../support/service/every-operation.ts';

showEveryAnswer(peopleScenarios);
