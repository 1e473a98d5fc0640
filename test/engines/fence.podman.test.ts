// What a container on Podman may do, as seen from inside.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Executor, RunSpec } from '../../daemon/ports/executor.ts';
import { collect, runSpec } from '../ports/executor.suite.ts';
import { dockerRequirement, type TestImages, testDockerExecutor, testImages } from '../support/engine/docker.ts';
import { describeIf } from '../support/runner/requirements.ts';

const never = new AbortController().signal;

describeIf(await dockerRequirement(), 'the isolation of a container on Podman', () => {
  const { executor, tidy } = testDockerExecutor();
  let images: TestImages;
  beforeAll(() => {
    images = testImages();
  });
  afterAll(async () => {
    await tidy();
    await images.remove();
  });

  const output = async (script: string, over: Partial<RunSpec> = {}, by: Executor = executor): Promise<string> => {
    const ref = await by.create(runSpec(await images.script(script), over), never);
    const out = collect();
    await (await by.start(ref, out.sink)).ended;
    await by.remove(ref);
    return out.stdout() + out.stderr();
  };

  it('a container on Podman has only the default capabilities of Docker, gains none, and runs under seccomp', async () => {
    // CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETPCAP NET_BIND_SERVICE SYS_CHROOT AUDIT_WRITE SETFCAP
    const bits = [0, 1, 3, 4, 5, 6, 7, 8, 10, 18, 29, 31].reduce((sum, bit) => sum + 2 ** bit, 0);
    const status = await output('cat /proc/self/status');
    expect(status).toMatch(new RegExp(`^CapBnd:\\s+${bits.toString(16).padStart(16, '0')}$`, 'm'));
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(/^Seccomp:\s+2$/m);
  });

  it('a container on Podman has an init process', async () => {
    expect(await output('cat /proc/1/comm')).toBe('podman-init\n');
  });

  it('a container on Podman has a limit of open files, and mounts no host folder', async () => {
    expect(await output('ulimit -n')).toBe('4096\n');
    const mounts = await output('cat /proc/self/mountinfo');
    expect(mounts.split('\n').filter((line) => / \/(home|root|tmp|var\/run)( |\/)/.test(line))).toEqual([]);
  });

  it('status names Podman, and does not say that actors reach each other', async () => {
    const status = await executor.probe(never);
    expect(status).toMatchObject({ available: true, description: expect.stringMatching(/^Podman \d/) });
    expect('limitations' in status && status.limitations).not.toContainEqual(
      expect.stringContaining('reach each other'),
    );
  });
});
