// Every answer of the authorization service, and of what the daemon says of itself to anybody.

import { authorizationScenarios } from '../../support/scenarios/authorization.ts';
import { showEveryAnswer } from '../../support/service/every-operation.ts';

showEveryAnswer(authorizationScenarios);
