// Answers of every operation on aliases and their nonces, checked against the contract.

import { aliasScenarios } from '../../support/scenarios/aliases.ts';
import { showEveryAnswer } from '../../support/contract/every-operation.ts';

showEveryAnswer(aliasScenarios);
