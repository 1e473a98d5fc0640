// Every answer of the authorization service, and of what the daemon says of itself to anybody.
import { showEveryAnswer } from '../support/every-operation.ts';
import { authorizationScenarios } from '../support/scenarios/authorization.ts';

showEveryAnswer(authorizationScenarios);
