// The process executor keeps what the port promises.
import { makeProcessHarness } from '../support/engine/process-harness.ts';
import { executorSuite } from './executor.suite.ts';

executorSuite('processes of this machine', makeProcessHarness);
