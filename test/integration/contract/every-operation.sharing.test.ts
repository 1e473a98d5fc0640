// Answers of every operation on permissions and the nonces of actors, checked against the contract.

import { sharingScenarios } from '../../support/scenarios/sharing.ts';
import { showEveryAnswer } from '../../support/contract/every-operation.ts';

showEveryAnswer(sharingScenarios);
