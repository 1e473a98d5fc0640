// The removal of a container that the engine refuses.
import { expect, it } from 'vitest';
import { removeContainer } from '../../../daemon/executor/docker/remove-container.ts';
import { refusing } from '../../support/engine/refusing.ts';

const busy = [500, 'unlinkat /root/shm: device or resource busy'] as const;

it('the removal of a container is retried while the kernel uses one of its mounts', async () => {
  const { connection, asked } = refusing(undefined, busy, busy);
  await removeContainer(connection, 'c');
  expect(asked()).toBe(3);
});

it('the removal of a container fails at once for another reason', async () => {
  const { connection, asked } = refusing(undefined, [500, 'no space left on device']);
  await expect(removeContainer(connection, 'c')).rejects.toThrow('no space left');
  expect(asked()).toBe(1);
});

it.each([404, 409])('the removal of a container succeeds if the engine returns %i', async (statusCode) => {
  const { connection, asked } = refusing(undefined, [statusCode, 'it is gone']);
  await removeContainer(connection, 'c');
  expect(asked()).toBe(1);
});
