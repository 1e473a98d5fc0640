// Every answer of permissions, and of the nonces of actors.
import { showEveryAnswer } from '../support/every-operation.ts';
import { sharingScenarios } from '../support/scenarios/sharing.ts';

showEveryAnswer(sharingScenarios);
