// Answers of every operation of the authorization service and of the public routes of the daemon, checked against the
// contract.

import { showEveryAnswer } from '../../support/contract/every-operation.ts';
import { authorizationScenarios } from '../../support/scenarios/authorization.ts';

showEveryAnswer(authorizationScenarios);
