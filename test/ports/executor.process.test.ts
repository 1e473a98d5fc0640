// Runs the executor suite on the process executor.
import { makeProcessHarness } from '../support/engine/process-harness.ts';
import { executorSuite } from './executor.suite.ts';

executorSuite('processes of this machine', makeProcessHarness);
