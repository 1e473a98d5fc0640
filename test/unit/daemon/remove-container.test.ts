// The removal of a container that the engine refuses.
import { expect, it } from 'vitest';
import { removeContainer } from '../../../daemon/executor/docker/remove-container.ts';
import type { Connection } from '../../../daemon/executor/engine/connection.ts';

/** A connection whose engine answers each removal with the next of these refusals, and then removes. */
const refusing = (...refusals: readonly [statusCode: number, message: string][]) => {
  const left = [...refusals];
  let asked = 0;
  const call = async () => {
    asked += 1;
    const [statusCode, message] = left.shift() ?? [];
    if (message !== undefined) throw Object.assign(new Error(message), { statusCode });
  };
  return { connection: { call } as unknown as Connection, asked: () => asked };
};

const busy = [500, 'unlinkat /root/shm: device or resource busy'] as const;

it('is tried again while the kernel uses a mount of it', async () => {
  const { connection, asked } = refusing([...busy], [...busy]);
  await removeContainer(connection, 'c');
  expect(asked()).toBe(3);
});

it('fails at once for another reason', async () => {
  const { connection, asked } = refusing([500, 'no space left on device']);
  await expect(removeContainer(connection, 'c')).rejects.toThrow('no space left');
  expect(asked()).toBe(1);
});

it.each([404, 409])('is done if the engine answers %i', async (statusCode) => {
  const { connection, asked } = refusing([statusCode, 'it is gone']);
  await removeContainer(connection, 'c');
  expect(asked()).toBe(1);
});
