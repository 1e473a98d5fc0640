// Every answer of messages, executions and workers.
import { showEveryAnswer } from '../support/every-operation.ts';
import { executionScenarios } from '../support/scenarios/executions.ts';

showEveryAnswer(executionScenarios);
