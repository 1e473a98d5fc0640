// Responses of every operation on clients, users, tenants and profiles, checked against the contract.

import { showEveryAnswer } from '../../support/contract/every-operation.ts';
import { peopleScenarios } from '../../support/scenarios/people.ts';

showEveryAnswer(peopleScenarios);
