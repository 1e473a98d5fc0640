// Responses of every operation on messages, executions and workers, checked against the contract.

import { showEveryAnswer } from '../../support/contract/every-operation.ts';
import { executionScenarios } from '../../support/scenarios/executions.ts';

showEveryAnswer(executionScenarios);
