// The only time limits of tests. They end what hangs: no test passes or fails by the speed of the machine. With ten other processes for each
// processor, tests that take 3 s alone took more than 30 s.
import { examplesFactor } from './examples.ts';

/** Of a test or hook, in ms. */
export const TEST_LIMIT_MS = 600_000 * examplesFactor;
/** Of a condition that is polled, in ms. */
export const POLL_LIMIT_MS = TEST_LIMIT_MS / 4;
