// Every answer of aliases and their nonces.

import { aliasScenarios } from '../../support/scenarios/aliases.ts';
import { showEveryAnswer } from '../../support/service/every-operation.ts';

showEveryAnswer(aliasScenarios);
