// Every answer of permissions, and of the nonces of actors.

import { sharingScenarios } from '../../support/scenarios/sharing.ts';
import { showEveryAnswer } from '../../support/service/every-operation.ts';

showEveryAnswer(sharingScenarios);
