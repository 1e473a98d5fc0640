// Every answer of clients, users, tenants and profiles.
import { showEveryAnswer } from '../support/every-operation.ts';
import { peopleScenarios } from '../support/scenarios/people.ts';

showEveryAnswer(peopleScenarios);
