// Answers of every operation on messages, executions and workers, checked against the contract.

import { executionScenarios } from '../../support/scenarios/executions.ts';
import { showEveryAnswer } from '../../support/contract/every-operation.ts';

showEveryAnswer(executionScenarios);
