// The pure parts of the Docker executor: container settings, log stream, archives, and the program of the holder
// container.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { filesOf, networkContainer, runContainer } from '../../../daemon/executor/docker/container-spec.ts';
import { createPullProgress } from '../../../daemon/executor/docker/images.ts';
import { createDemux, readStream } from '../../../daemon/executor/docker/log-stream.ts';
import { type TarEntry, tar } from '../../../daemon/executor/docker/tar.ts';
import { pauseProgram } from '../../../daemon/executor/docker/worker-network-image.ts';
import { toExecutorError } from '../../../daemon/executor/engine/engine-error.ts';
import { createResumableSink } from '../../../daemon/executor/resumable-sink.ts';
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
  const holder = networkContainer({
    ...{ name: 'n', image: 'h', instanceId: 'i1', network: 'net', extraHosts: [], ...on },
  });
  expect(holder.HostConfig?.Sysctls).toEqual(networkSysctls);
});

it('a network container has no privileges and is killed at once when stopped', () => {
  const holder = networkContainer({
    ...{ name: 'n', image: 'h', instanceId: 'i1', network: 'net', extraHosts: ['a:1.2.3.4'], features },
  });
  expect(holder).toMatchObject({ User: '65534:65534', StopSignal: 'SIGKILL', Labels: { 'actorctl.kind': 'holder' } });
  expect(holder.HostConfig).toMatchObject({ CapDrop: ['ALL'], ReadonlyRootfs: true, ExtraHosts: ['a:1.2.3.4'] });
});

const frame = (stream: 1 | 2, text: string): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};
const taken = () => {
  const seen = { stdout: '', stderr: '' };
  const sink = (stream: 'stdout' | 'stderr', data: Uint8Array) => {
    seen[stream] += Buffer.from(data).toString();
  };
  return { seen, sink };
};

describe('the multiplexed log stream', () => {
  const whole = Buffer.concat([frame(1, 'one\n'), frame(2, ''), frame(2, 'two\n'), frame(1, 'three\n')]);

  it.each(Array.from({ length: whole.length }, (_, i) => i + 1))(
    'gives the same output in chunks of %i bytes',
    (size) => {
      const { seen, sink } = taken();
      const push = createDemux(sink);
      for (let at = 0; at < whole.length; at += size) push(whole.subarray(at, at + size));
      expect(seen).toEqual({ stdout: 'one\nthree\n', stderr: 'two\n' });
    },
  );

  it('skips the bytes already delivered when it is read again from the start', () => {
    const { seen, sink } = taken();
    const resumable = createResumableSink(sink);
    createDemux(resumable.forNextSource())(whole.subarray(0, 10));
    createDemux(resumable.forNextSource())(whole.subarray(0, 31));
    createDemux(resumable.forNextSource())(whole);
    expect(seen).toEqual({ stdout: 'one\nthree\n', stderr: 'two\n' });
  });
});

describe('an attached stream whose engine reports a fault in it', () => {
  const fault = /^Error: read unixpacket [^\n]*\n$/;
  const words = 'Error: read unixpacket @->/attach: read: connection reset by peer\n';
  const read = async (...frames: readonly Buffer[]) => {
    const { seen, sink } = taken();
    const ended = await readStream(Readable.from(frames), sink, { fault }).over;
    return { ...seen, ended };
  };

  it('has broken, and the fault is no output', async () => {
    expect(await read(frame(1, 'one\n'), frame(2, words))).toEqual({ stdout: 'one\n', stderr: '', ended: false });
  });

  it('has not broken if a program wrote the same words and went on', async () => {
    expect(await read(frame(2, words), frame(1, 'one\n'))).toEqual({ stdout: 'one\n', stderr: words, ended: true });
  });
});

describe('an archive', () => {
  const archive = async (entries: readonly TarEntry[]) => {
    const pieces: Buffer[] = [];
    for await (const piece of tar(entries)) pieces.push(piece);
    return Buffer.concat(pieces);
  };

  it('is readable by tar, with files from memory and from disk', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-tar-'));
    try {
      writeFileSync(path.join(folder, 'b'), 'y'.repeat(100_000));
      const input = await archive([
        { path: '/deep/a', mode: 0o444, source: { bytes: Buffer.from('x'.repeat(513)) } },
        { path: 'b', mode: 0o444, source: { file: path.join(folder, 'b') } },
        { path: 'empty', mode: 0o755, source: { bytes: new Uint8Array() } },
      ]);
      expect(execFileSync('tar', ['-tf', '-'], { input }).toString()).toBe('deep/a\nb\nempty\n');
      execFileSync('tar', ['-xf', '-', '-C', folder], { input });
      const modes = execFileSync('stat', ['-c', '%a %s', 'deep/a', 'b', 'empty'], { cwd: folder }).toString();
      expect(modes).toBe('444 513\n444 100000\n755 0\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuses a path that is too long for the format', async () => {
    const entry = { path: 'x'.repeat(101), mode: 0o444, source: { bytes: new Uint8Array() } };
    await expect(archive([entry])).rejects.toThrow('into a tar archive');
  });
});

describe('the holder’s program', () => {
  it.each(['x86_64', 'amd64', 'aarch64', 'arm64'])('exists for %s', (name) => {
    expect(pauseProgram(name)?.subarray(0, 4).toString('latin1')).toBe('\x7fELF');
  });

  it('does not exist for an unknown processor', () => {
    expect(pauseProgram('riscv64')).toBeUndefined();
  });

  const native = { x64: 'x86_64', arm64: 'aarch64' }[process.arch as 'x64' | 'arm64'];
  it.runIf(process.platform === 'linux' && native !== undefined)('runs until it is killed', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-pause-'));
    try {
      const file = path.join(folder, 'pause');
      writeFileSync(file, pauseProgram(String(native)) ?? '');
      chmodSync(file, 0o755);
      expect(() => execFileSync(file, { timeout: 300 })).toThrow('ETIMEDOUT');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the progress of a pull', () => {
  it('counts layers and megabytes, and reports only changes', () => {
    const say = createPullProgress('i');
    expect(say({ status: 'Pulling from library/i', id: 'latest' })).toBeUndefined();
    expect(say({ status: 'Pulling fs layer', id: 'a' })).toBe('pulling i: 0 of 1 layers, 0 of 0 MB');
    expect(say({ status: 'Waiting', id: 'a' })).toBeUndefined();
    const progressDetail = { current: 2e6, total: 5e6 };
    expect(say({ status: 'Downloading', id: 'a', progressDetail })).toBe('pulling i: 0 of 1 layers, 2 of 5 MB');
    expect(say({ status: 'Pull complete', id: 'a' })).toBe('pulling i: 1 of 1 layers, 2 of 5 MB');
    expect(say({ status: 'Digest: sha256:1' })).toBeUndefined();
    expect(say(undefined)).toBeUndefined();
  });
});

describe('an engine error', () => {
  const answered = (statusCode: number) => Object.assign(new Error('answered'), { statusCode });

  it('counts as a refusal if the engine answered, and as unavailable if a proxy or the connection failed', () => {
    for (const status of [400, 404, 409, 500])
      expect(toExecutorError(answered(status), 'start', '').kind).toBe('start');
    for (const status of [502, 503, 504])
      expect(toExecutorError(answered(status), 'start', '').kind).toBe('unavailable');
    const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    expect(toExecutorError(reset, 'start', '').kind).toBe('unavailable');
  });
});
