// The flags of Node that the daemon is started with.
import { expect, it } from 'vitest';
import { daemonNodeFlags } from '../../../src/local/daemon/node-flags.ts';

it('leave a processor to the thread that answers requests', () => {
  expect([1, 2, 3, 4, 5, 64].map((processors) => daemonNodeFlags(processors))).toEqual([
    ['--v8-pool-size=1'],
    ['--v8-pool-size=1'],
    ['--v8-pool-size=2'],
    ['--v8-pool-size=3'],
    [],
    [],
  ]);
});

it('are not those that NODE_OPTIONS has', () => {
  expect(daemonNodeFlags(2, '--v8-pool-size=4')).toEqual([]);
  expect(daemonNodeFlags(2, '--trace-gc --v8_pool_size 4')).toEqual([]);
  expect(daemonNodeFlags(2, '--max-old-space-size=500')).toEqual(['--v8-pool-size=1']);
});
