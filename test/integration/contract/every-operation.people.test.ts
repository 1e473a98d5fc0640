// Answers of every operation on clients, users, tenants and profiles, checked against the contract.

import { peopleScenarios } from '../../support/scenarios/people.ts';
import { showEveryAnswer } from '../../support/contract/every-operation.ts';

showEveryAnswer(peopleScenarios);
