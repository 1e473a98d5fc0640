// Which images a swarm pushes to its registry, if the manager gives every image a digest. The manager is played.
import { expect, it } from 'vitest';
import { runSpec } from '../../ports/executor.suite.ts';
import { playedManager } from '../../support/swarm/played-manager.ts';

it.each([
  ['is pushed if the registry that its digest names does not have it', false, 1],
  ['is not pushed if the registry that its digest names has it', true, 0],
])('an image with a digest %s', async (_, published, pushes) => {
  const manager = await playedManager({ registry: 'r.example:5000' }, { published });
  await manager.executor.create(runSpec('hello'), new AbortController().signal);
  expect(manager.calls.filter((call) => call.endsWith('/push'))).toHaveLength(pushes);
  await manager.close();
});
