// What is left in a swarm, or kept for its runs, when calls overlap or their answers are lost. The manager is played.
import { afterEach, expect, it } from 'vitest';
import { playedManager } from '../../support/swarm/played-manager.ts';

let manager: Awaited<ReturnType<typeof playedManager>>;
afterEach(() => manager.close());

it('the first run of a data folder keeps its large files while the swarm is listed for the first time', async () => {
  let used = false;
  const kept: unknown[] = [];
  const offers = {
    offer: async () => '',
    withdraw: async () => undefined,
    keepOnly: async (refs: unknown) => void kept.push(refs),
  };
  const use = { happened: () => used, record: async () => undefined };
  manager = await playedManager({ offers, use });
  expect(await manager.executor.list()).toEqual([]);
  used = true;
  expect(await manager.executor.list()).toEqual([]);
  expect(kept).toEqual([]);
});
