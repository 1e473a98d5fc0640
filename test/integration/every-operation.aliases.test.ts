// Every answer of aliases and their nonces.
import { showEveryAnswer } from '../support/every-operation.ts';
import { aliasScenarios } from '../support/scenarios/aliases.ts';

showEveryAnswer(aliasScenarios);
