// The flags of Node that the daemon is started with.
import { expect, it } from 'vitest';
import { daemonNodeFlags } from '../../../src/local/daemon/node-flags.ts';

it('leave a processor to the thread that answers requests', () => {
  expect([1, 2, 3, 4, 5, 64].map(daemonNodeFlags)).toEqual([
    ['--v8-pool-size=1'],
    ['--v8-pool-size=1'],
    ['--v8-pool-size=2'],
    ['--v8-pool-size=3'],
    [],
    [],
  ]);
});
