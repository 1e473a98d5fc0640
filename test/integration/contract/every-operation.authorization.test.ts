// Answers of every operation of the authorization service and of the public routes of the daemon, checked against the
// contract.

import { authorizationScenarios } from '../../support/scenarios/authorization.ts';
import { showEveryAnswer } from '../../support/contract/every-operation.ts';

showEveryAnswer(authorizationScenarios);
