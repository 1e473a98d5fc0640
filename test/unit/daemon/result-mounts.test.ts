// The paths of the result socket in a container.
import { expect, it } from 'vitest';
import { runContainer } from '../../../daemon/executor/docker/container-spec.ts';
import type { RunSpec } from '../../../daemon/ports/executor.ts';

const mounts = (over: Partial<RunSpec>) =>
  runContainer({
    spec: {
      ...{ executionId: 'E1', actorId: 'A1', workerId: 'W1', image: 'alpine', environment: {}, files: [] },
      ...{ limits: { memoryBytes: 1, pids: 1 }, privileged: false, ...over },
    },
    ...{ name: 'n', instanceId: 'i1', network: 'none', extraHosts: [], fence: { readOnlyRoot: false } },
    features: { init: true, cpuQuota: true, socketPath: '/engine.sock' },
  }).HostConfig?.Mounts?.map(({ Source, Target, ReadOnly }) => [Source, Target, ReadOnly]);

const own = ['/s', '/_svc_results.sock', true];

it.each([
  ['no socket at no path', {}, undefined],
  ['the socket of a modern actor at one path', { resultSocket: '/s' }, [own]],
  [
    'the socket of a legacy actor at that of the hosted platform too',
    { resultSocket: '/s', dialect: 'legacy' },
    [own, ['/s', '/_abaco_results.sock', true]],
  ],
] as const)('a container has %s', (_name, over, expected) => {
  expect(mounts(over)).toEqual(expected);
});
