// A Podman that was killed during a removal refuses every list until the removal is completed.
import type Dockerode from 'dockerode';
import { expect, it } from 'vitest';
import { listContainers } from '../../../daemon/executor/engine/list-containers.ts';

const HALF_REMOVED = ['a', 'b'].map((letter) => letter.repeat(64));

/** An engine with these half removed containers, and one other. */
const engine = (halfRemoved: readonly string[], message = 'container not known') => {
  const left = [...halfRemoved];
  const docker = {
    listContainers: async () => {
      const [id] = left;
      if (id === undefined) return [{ Id: 'other' }];
      const text = `getting container from store "${id}": ${message}`;
      throw Object.assign(new Error(text), { statusCode: 500, json: { message: text } });
    },
    getContainer: (id: string) => ({ remove: async () => void left.splice(left.indexOf(id), 1) }),
  } as unknown as Dockerode;
  const call = <T>(work: (client: Dockerode, signal: AbortSignal) => Promise<T>) =>
    work(docker, new AbortController().signal);
  return { connection: { call }, left };
};

it('a list completes the removals that Podman did not, and then has all other containers', async () => {
  const { connection, left } = engine(HALF_REMOVED);
  expect(await listContainers(connection, {})).toEqual([{ Id: 'other' }]);
  expect(left).toEqual([]);
});

it('a list that fails for another reason removes nothing', async () => {
  const { connection, left } = engine(HALF_REMOVED, 'input/output error');
  await expect(listContainers(connection, {})).rejects.toThrow('input/output error');
  expect(left).toEqual(HALF_REMOVED);
});
