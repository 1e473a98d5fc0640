// The isolation of an actor container, inspected in a real engine and from inside the container.
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HARMLESS_CAPABILITIES } from '../../../daemon/executor/docker/container-spec.ts';
import type { RunSpec } from '../../../daemon/ports/executor.ts';
import { collect, runSpec } from '../../ports/executor.suite.ts';
import { dockerRequirement, RUN_SCRIPT, testDockerExecutor, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const never = new AbortController().signal;

describeIf(await dockerRequirement(), 'the isolation of a container', () => {
  const docker = new Docker();
  const images = testImages();
  const { executor, instanceId, tidy } = testDockerExecutor();
  let inspected: Docker.ContainerInspectInfo;
  let image: string;
  /** What a container sees of itself: the status of a process, and `files` and `socket` with a value each. */
  let seen: string;

  const shell = async (script: string, over: Partial<RunSpec> = {}): Promise<RunSpec> =>
    runSpec(await images.script(RUN_SCRIPT), { ...over, environment: { SCRIPT: script } });
  /** Runs a script in a container that is created like that of an actor, and returns its output. */
  const output = async (script: string): Promise<string> => {
    const ref = await executor.create(await shell(script), never);
    const out = collect();
    await (await executor.start(ref, out.sink)).ended;
    await executor.remove(ref);
    return out.stdout() + out.stderr();
  };

  beforeAll(async () => {
    image = await images.script('exit 0');
    const limits = { memoryBytes: 64 * 1024 * 1024, pids: 20, nanoCpus: 5e8 };
    const ref = await executor.create(runSpec(image, { limits, environment: { ONE: '1' } }), never);
    inspected = await docker.getContainer(ref).inspect();
    seen = await output(
      'cat /proc/self/status; echo "files $(ulimit -n)"; echo "socket $(ls /var/run/docker.sock || echo none)"',
    );
  });
  afterAll(async () => {
    await tidy();
    await images.remove();
  });

  it('R147 all capabilities except the harmless ones of Docker are dropped, and there is no device', async () => {
    expect(inspected.HostConfig).toMatchObject({ Privileged: false, CapDrop: ['ALL'], CapAdd: HARMLESS_CAPABILITIES });
    expect(inspected.HostConfig.Devices ?? []).toEqual([]);
    expect(HARMLESS_CAPABILITIES).not.toContain('NET_RAW');
    expect(HARMLESS_CAPABILITIES).not.toContain('MKNOD');
    const bounding = /CapBnd:\s*(\w+)/.exec(seen)?.[1];
    // Capability numbers of the kernel: chown 0, dac_override 1, fowner 3, fsetid 4, kill 5, setgid 6, setuid 7,
    // setpcap 8, net_bind_service 10, sys_chroot 18, audit_write 29, setfcap 31.
    const wanted = [0, 1, 3, 4, 5, 6, 7, 8, 10, 18, 29, 31].reduce((sum, bit) => sum + 2n ** BigInt(bit), 0n);
    expect(BigInt(`0x${bounding}`)).toBe(wanted);
  });

  it('R148 no process gains privileges, and the default seccomp profile is kept', async () => {
    expect(inspected.HostConfig.SecurityOpt).toEqual(['no-new-privileges']);
    expect(/NoNewPrivs:\s*(\d)/.exec(seen)?.[1]).toBe('1');
    expect(/Seccomp:\s*(\d)/.exec(seen)?.[1]).toBe('2');
  });

  it('R149 memory, swap, processes, CPU time, open files and the log of the engine are limited', async () => {
    const bytes = 64 * 1024 * 1024;
    const log = { Type: 'json-file', Config: { 'max-size': '50m', 'max-file': '2' } };
    const bounds = { Memory: bytes, MemorySwap: bytes, PidsLimit: 20, NanoCpus: 5e8, LogConfig: log };
    expect(inspected.HostConfig).toMatchObject(bounds);
    expect(seen).toMatch(/^files 4096$/m);
  });

  it('R151 the network is that of the worker on the bridge of the instance, without ports and without host namespaces', async () => {
    const { HostConfig } = inspected;
    const found = (await executor.list()).find(
      (each) => each.kind === 'pause' && each.workerId === inspected.Config.Labels['actorctl.worker'],
    );
    const networks = await docker.listNetworks({ filters: { label: [`actorctl.instance=${instanceId}`] } });
    const standing = await docker.getContainer(String(found?.ref)).inspect();
    expect(HostConfig.NetworkMode).toBe(`container:${standing.Id}`);
    expect(standing.HostConfig.NetworkMode).toBe(networks[0]?.Id);
    expect([HostConfig.PidMode, HostConfig.UTSMode, HostConfig.UsernsMode]).toEqual(['', '', '']);
    expect(HostConfig.IpcMode).toBe('private');
    expect(HostConfig.PortBindings ?? {}).toEqual({});
    expect(HostConfig.PublishAllPorts).toBe(false);
  });

  it('R151 runs of two workers have different addresses and cannot reach each other', async () => {
    const serving = await executor.create(
      await shell('ip=$(cat /proc/net/fib_trie); echo "$ip"; nc -l -p 7000 -e echo reached', { workerId: 'serving' }),
      never,
    );
    const out = collect();
    await executor.start(serving, out.sink);
    await out.until('LOCAL');
    const address = [...out.stdout().matchAll(/(\d+\.\d+\.\d+\.\d+)\n\s+\/32 host LOCAL/g)]
      .map((match) => match[1])
      .find((each) => !each?.startsWith('127.'));
    expect(address).toBeDefined();
    expect(await output(`nc -w 2 ${address} 7000 < /dev/null; echo "ended $?"`)).not.toContain('reached');
    await executor.remove(serving);
  });

  it('R152 no engine socket and no folder of the host is mounted', async () => {
    expect(inspected.HostConfig.Binds ?? []).toEqual([]);
    expect(inspected.Mounts).toEqual([]);
    expect(seen).toMatch(/^socket none$/m);
  });

  it('R154 the environment holds only the requested variables and those of the engine and the image', async () => {
    expect(inspected.Config.Env.filter((each) => !/^(_svc_execution_id|PATH)=/.test(each))).toEqual(['ONE=1']);
  });

  it('R155 the container has labels and an init process, and disappears when it is removed', async () => {
    expect(inspected.HostConfig.Init).toBe(true);
    expect(inspected.Config.Labels).toMatchObject({ 'actorctl.instance': instanceId, 'actorctl.kind': 'run' });
    const ref = inspected.Name.slice(1);
    await executor.remove(ref);
    expect((await executor.list()).filter((each) => each.ref === ref)).toEqual([]);
    await expect(docker.getContainer(inspected.Id).inspect()).rejects.toMatchObject({ statusCode: 404 });
  });

  it.each(['--privileged', '-v/:/host', 'a b', 'Upper', '', 'x;y', '../x', 'x:tag:tag'])(
    'R136 "%s" is refused as an image without asking the engine',
    async (reference) => {
      const refused = { kind: 'image', message: expect.stringContaining('must be a container image reference') };
      await expect(executor.prepare(reference, () => undefined, never)).rejects.toMatchObject(refused);
      await expect(executor.create(runSpec(reference), never)).rejects.toMatchObject(refused);
    },
  );

  it('a privileged actor has the socket of the engine and all capabilities', async () => {
    // The container is only inspected: an engine that runs inside a restricted container cannot start it.
    const ref = await executor.create(runSpec(image, { privileged: true }), never);
    const { HostConfig } = await docker.getContainer(ref).inspect();
    expect(HostConfig).toMatchObject({ Privileged: true, Binds: ['/var/run/docker.sock:/var/run/docker.sock'] });
    await executor.remove(ref);
  });

  it('files still arrive in a container with a read-only root', async () => {
    const strict = testDockerExecutor({ fence: { readOnlyRoot: true, user: '65534:65534' } });
    try {
      const script = 'cat "$MSG_FILE"; echo x > /x || echo closed; echo x > /tmp/x && echo open; id -u';
      const files = [{ path: '/_svc_msg', source: { bytes: Buffer.from('the message\n') }, variable: 'MSG_FILE' }];
      const ref = await strict.executor.create(await shell(script, { files }), never);
      const out = collect();
      await (await strict.executor.start(ref, out.sink)).ended;
      expect(out.stdout()).toBe('the message\nclosed\nopen\n65534\n');
    } finally {
      await strict.tidy();
    }
  });
});
