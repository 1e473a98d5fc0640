// The properties of an engine are read once for all callers, and again after the engine was away or did not respond.
import { expect, it } from 'vitest';
import { createEngineFacts } from '../../../daemon/executor/engine/engine-facts.ts';

/** An engine that responds when the test says so. */
const engine = () => {
  let losses = 0;
  const requests: { resolve(info: unknown): void; reject(error: Error): void }[] = [];
  const facts = createEngineFacts({
    lossCount: () => losses,
    answer: () => undefined,
    info: () => new Promise<unknown>((resolve, reject) => requests.push({ resolve, reject })),
  });
  return { facts, requests, lose: () => (losses += 1) };
};

it('callers at the same time share one request', async () => {
  const { facts, requests } = engine();
  const both = [facts(), facts()];
  expect(requests).toHaveLength(1);
  requests[0]?.resolve({ Driver: 'overlay2' });
  const [one, other] = await Promise.all(both);
  expect(one).toMatchObject({ storageDriver: 'overlay2' });
  expect(other).toBe(one);
  expect(await facts()).toBe(one);
  expect(requests).toHaveLength(1);
});

it('a request that failed is repeated for the next caller', async () => {
  const { facts, requests } = engine();
  const first = facts();
  requests[0]?.reject(new Error('no response'));
  await expect(first).rejects.toThrow('no response');
  const second = facts();
  requests[1]?.resolve({ Driver: 'vfs' });
  expect(await second).toMatchObject({ storageDriver: 'vfs' });
});

it('an engine that was away is asked again', async () => {
  const { facts, requests, lose } = engine();
  const first = facts();
  lose();
  const second = facts();
  requests[0]?.resolve({ Driver: 'vfs' });
  requests[1]?.resolve({ Driver: 'overlay2' });
  expect([await first, await second]).toMatchObject([{ storageDriver: 'vfs' }, { storageDriver: 'overlay2' }]);
});
