// Responses of every operation on aliases and their nonces, checked against the contract.

import { showEveryAnswer } from '../../support/contract/every-operation.ts';
import { aliasScenarios } from '../../support/scenarios/aliases.ts';

showEveryAnswer(aliasScenarios);
