// Responses of every operation on permissions and the nonces of actors, checked against the contract.

import { showEveryAnswer } from '../../support/contract/every-operation.ts';
import { sharingScenarios } from '../../support/scenarios/sharing.ts';

showEveryAnswer(sharingScenarios);
