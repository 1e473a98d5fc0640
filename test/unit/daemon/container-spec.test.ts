// The create options of containers: of a run, and of a network container.
import { describe, expect, it } from 'vitest';
import { filesOf, networkContainer, runContainer } from '../../../daemon/executor/docker/container-spec.ts';
import type { RunSpec } from '../../../daemon/ports/executor.ts';

const spec: RunSpec = {
  executionId: 'e1',
  actorId: 'a1',
  workerId: 'w1',
  image: 'team/actor:1',
  environment: { A: '1', B: 'x=y\n' },
  files: [{ path: '/_svc_binary_data', source: { bytes: Buffer.from('x') }, variable: '_svc_binary_data_FILE' }],
  limits: { memoryBytes: 1000, pids: 7, nanoCpus: 5e8 },
  privileged: false,
};
const features = { init: true, cpuQuota: true, socketPath: '/engine.sock' };
const shape = (over: Partial<Parameters<typeof runContainer>[0]> = {}) =>
  runContainer({
    ...{ spec, name: 'n', instanceId: 'i1', network: 'container:h', extraHosts: [], fence: { readOnlyRoot: false } },
    features,
    ...over,
  });

describe('the container of a run', () => {
  it('has the labels by which the daemon finds it again', () => {
    expect(shape().Labels).toEqual({
      'actorctl.instance': 'i1',
      'actorctl.kind': 'run',
      'actorctl.worker': 'w1',
      'actorctl.actor': 'a1',
      'actorctl.execution': 'e1',
    });
  });

  it('R154 has exactly the variables of the run and of its files', () => {
    expect(shape().Env).toEqual(['A=1', 'B=x=y\n', '_svc_binary_data_FILE=/_svc_binary_data']);
  });

  it('R149 has the limits of the run, and no swap beyond its memory', () => {
    expect(shape().HostConfig).toMatchObject({ Memory: 1000, MemorySwap: 1000, PidsLimit: 7, NanoCpus: 5e8 });
  });

  it('has a limit of open files, and one of processes per user only where the engine needs it', () => {
    const nofile = { Name: 'nofile', Soft: 4096, Hard: 4096 };
    expect(shape().HostConfig?.Ulimits).toEqual([nofile]);
    const nproc = { Name: 'nproc', Soft: 900, Hard: 900 };
    expect(shape({ features: { ...features, processesOfUser: 900 } }).HostConfig?.Ulimits).toEqual([nofile, nproc]);
  });

  it('R149 has its disk limit as a label, and a little more as the limit of an engine that can enforce one', () => {
    const limited = { ...spec, limits: { ...spec.limits, diskBytes: 1000 } };
    expect(shape({ spec: limited }).Labels).toMatchObject({ 'actorctl.disk-limit': '1000' });
    expect(shape({ spec: limited }).HostConfig).not.toHaveProperty('StorageOpt');
    expect(shape({ spec: limited, diskQuota: true }).HostConfig).toMatchObject({ StorageOpt: { size: '1250' } });
    expect(shape({ diskQuota: true }).HostConfig).not.toHaveProperty('StorageOpt');
  });

  it('has no CPU limit if the engine does not support CPU limits', () => {
    const features = { init: true, cpuQuota: false, socketPath: '/engine.sock' };
    expect(shape({ features }).HostConfig).not.toHaveProperty('NanoCpus');
  });

  it('has the engine’s socket and all capabilities only if it is privileged', () => {
    const privileged = shape({ spec: { ...spec, privileged: true } }).HostConfig;
    expect(privileged).toMatchObject({ Privileged: true, Binds: ['/engine.sock:/var/run/docker.sock'] });
    expect(privileged).not.toHaveProperty('CapDrop');
    expect(shape().HostConfig).not.toHaveProperty('Binds');
  });

  it('R150 has a read-only root if configured, with its files in a separate volume', () => {
    const fence = { readOnlyRoot: true };
    const container = shape({ fence });
    expect(container.HostConfig).toMatchObject({
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': 'rw,noexec,nosuid,size=64m' },
    });
    expect(container.Env).toContain('_svc_binary_data_FILE=/run/actorctl/_svc_binary_data');
    expect(filesOf(spec, fence)).toMatchObject({ folder: '/run/actorctl', entries: [{ path: '_svc_binary_data' }] });
    expect(container.Volumes).toEqual({ '/run/actorctl': {} });
  });

  it('R153 runs as the configured user, if there is one', () => {
    expect(shape({ fence: { readOnlyRoot: false, user: '65534' } }).User).toBe('65534');
    expect(shape()).not.toHaveProperty('User');
  });
});

it('only a container with a network of its own has the kernel settings that the network needs', () => {
  const networkSysctls = { 'net.ipv4.neigh.eth0.mcast_resolicit': '3' };
  const on = { features: { ...features, networkSysctls } };
  expect(shape({ ...on, network: 'net' }).HostConfig?.Sysctls).toEqual(networkSysctls);
  expect(shape({ network: 'net' }).HostConfig).not.toHaveProperty('Sysctls');
  expect(shape(on).HostConfig).not.toHaveProperty('Sysctls');
  const network = networkContainer({
    ...{ name: 'n', image: 'h', instanceId: 'i1', network: 'net', extraHosts: [], ...on },
  });
  expect(network.HostConfig?.Sysctls).toEqual(networkSysctls);
});

it('a network container has no privileges and is killed at once when stopped', () => {
  const network = networkContainer({
    ...{ name: 'n', image: 'h', instanceId: 'i1', network: 'net', extraHosts: ['a:1.2.3.4'], features },
  });
  expect(network).toMatchObject({ User: '65534:65534', StopSignal: 'SIGKILL', Labels: { 'actorctl.kind': 'pause' } });
  expect(network.HostConfig).toMatchObject({ CapDrop: ['ALL'], ReadonlyRootfs: true, ExtraHosts: ['a:1.2.3.4'] });
});
