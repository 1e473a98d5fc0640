// Responses of every operation of the authorization service and of the public routes of the daemon, checked against the
// contract, at the main listener and at the one for programs of the hosted platform.
import { describe } from 'vitest';
import { showEveryAnswer } from '../../support/contract/every-operation.ts';
import { authorizationScenarios } from '../../support/scenarios/authorization.ts';

describe('the main listener', () => {
  showEveryAnswer(authorizationScenarios);
});

describe('the listener for programs of the hosted platform', () => {
  // A one-time link is valid at the main listener only, which serves the dashboard.
  const { 'authorize.link': _, ...others } = authorizationScenarios;
  showEveryAnswer(others, 'legacy');
});
