// Every answer of messages, executions and workers.

import { executionScenarios } from '../../support/scenarios/executions.ts';
import { showEveryAnswer } from '../../support/service/every-operation.ts';

showEveryAnswer(executionScenarios);
