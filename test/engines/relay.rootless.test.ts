// The way from containers of an engine without root to the daemon, when a part of it is killed.
import { readlinkSync } from 'node:fs';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXECUTION_LABEL, INSTANCE_LABEL } from '../../daemon/executor/docker/labels.ts';
import { type BuiltDaemon, builtDaemon, logsOf, reaches, register, send } from '../support/daemon/daemon.ts';
import { dockerRequirement, limitsResources, type TestImages, testImages } from '../support/engine/docker.ts';
import { alive, processesWith } from '../support/engine/process-harness.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { POST_STATE } from '../support/workloads/counter.ts';

/** Posts the state until a post succeeds, and again when the state says so. */
const UNTIL_POSTED = (value: string): string => `next=${value}; until ${POST_STATE}; do sleep 0.1; done`;

describeIf(await dockerRequirement(), 'a container of an engine without root', () => {
  let daemon: BuiltDaemon;
  let images: TestImages;
  beforeAll(async () => {
    images = testImages();
    daemon = builtDaemon();
    await daemon.start();
    await daemon.admit();
  });
  afterAll(async () => {
    await daemon.remove();
    await images.remove();
  });

  /** The relays of this daemon: they work in its state folder. */
  const relays = (): readonly number[] =>
    processesWith('actor-relay.cjs', 'cmdline')
      .filter(alive)
      .filter((pid) => readlinkSync(`/proc/${pid}/cwd`) === daemon.stateDir);

  const docker = new Docker();
  /** The runs first: Podman does not remove a network container that a run depends on. */
  const containers = async (): Promise<readonly string[]> => {
    const filters = { label: [`${INSTANCE_LABEL}=${daemon.instanceId()}`] };
    const all = await docker.listContainers({ all: true, filters });
    return [
      ...all.filter(({ Labels }) => Labels[EXECUTION_LABEL]),
      ...all.filter(({ Labels }) => !Labels[EXECUTION_LABEL]),
    ].map(({ Id }) => Id);
  };

  const stateOf = async (actor: string) => (await daemon.ask('GET', `/actors/v2/${actor}/state`)).result['state'];

  /** Posts its state again and again, and writes which MAC address the gateway has. */
  const startPosting = async () => {
    const script = `${UNTIL_POSTED('1')}; while :; do ${UNTIL_POSTED('$((next+1))')}; tail -n 1 /proc/net/arp; sleep 0.1; done`;
    const actor = await register(daemon, { image: await images.script(script), stateless: false });
    const execution = await send(daemon, actor, { body: 'go' });
    return {
      log: () => logsOf(daemon, actor, execution),
      grows: async (): Promise<void> => {
        await expect.poll(() => stateOf(actor)).toEqual(expect.any(Number));
        const before = Number(await stateOf(actor));
        await expect.poll(() => stateOf(actor).then(Number)).toBeGreaterThan(before + 1);
      },
      halt: async (): Promise<void> => {
        await daemon.ask('DELETE', `/actors/v2/${actor}/executions/${execution}`);
        await reaches(daemon, actor, execution);
      },
    };
  };

  it('finds API and result socket, and its reports are stored', async () => {
    const script = `[ -S /_svc_results.sock ] && echo socket; ${UNTIL_POSTED('1')}; echo posted`;
    const actor = await register(daemon, { image: await images.script(script), stateless: false });
    const execution = await send(daemon, actor, { body: 'go' });
    expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    expect(await logsOf(daemon, actor, execution)).toBe('socket\nposted\n');
    expect(await stateOf(actor)).toBe(1);
  });

  it('has an actor in ERROR at the first start if its user id is above the range of the engine', async () => {
    const image = await images.busybox(['/bin/true'], 'USER 200000');
    const actor = await register(daemon, { image, stateless: true });
    await send(daemon, actor, { body: 'go' });
    await expect
      .poll(async () => (await daemon.ask('GET', `/actors/v2/${actor}`)).result)
      .toMatchObject({ status: 'ERROR', statusMessage: expect.stringContaining('The engine has no such user id') });
  });

  it.skipIf(limitsResources)('says before and after that its limits have no effect', async () => {
    const image = await images.script('echo done');
    const limited = await daemon.ask('POST', '/actors/v2', { json: { image, memLimit: '64m', maxCpus: 1e9 } });
    const effects = ['the memory limit has no effect', 'the limit of processors has no effect'];
    expect(limited.result['warnings']).toEqual(effects.map((text) => expect.stringContaining(text)));
    const actor = String(limited.result['id']);
    const execution = await send(daemon, actor, { body: 'go' });
    await reaches(daemon, actor, execution);
    const { result } = await daemon.ask('GET', `/actors/v2/${actor}/executions/${execution}`);
    expect(result['warnings']).toContainEqual(expect.stringContaining('memory and processes are not limited'));
  });

  it('reaches the daemon again after its relay was killed, and after the daemon was killed and started again', async () => {
    const { grows, halt } = await startPosting();
    await grows();
    for (const pid of relays()) process.kill(pid, 'SIGKILL');
    await grows();
    const { port } = new URL(daemon.baseUrl());
    await daemon.kill();
    await expect.poll(relays).toEqual([]);
    await daemon.start('--port', port);
    await grows();
    await halt();
  });

  it('still reaches the daemon when other containers start and end, because the gateway keeps its MAC address', async () => {
    const { grows, halt, log } = await startPosting();
    const image = await images.script('echo done');
    for (let turn = 0; turn < 4; turn += 1) {
      const actor = await register(daemon, { image, stateless: true });
      await reaches(daemon, actor, await send(daemon, actor, { body: 'go' }));
      await grows();
      await daemon.ask('DELETE', `/actors/v2/${actor}`);
      await grows();
    }
    await halt();
    expect(new Set((await log()).match(/..(?::..){5}/g)).size).toBe(1);
  });

  it('reaches the daemon after all containers of the engine are gone, and no relay stays after a stop', async () => {
    const script = `${UNTIL_POSTED('"$MSG"')}`;
    const actor = await register(daemon, { image: await images.script(script), stateless: false });
    for (const message of ['1', '2']) {
      const execution = await send(daemon, actor, { body: message });
      expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
      await expect
        .poll(async () => {
          // Another removal of the same container, by the daemon, is no failure.
          for (const id of await containers())
            await docker
              .getContainer(id)
              .remove({ force: true })
              .catch(() => undefined);
          return containers();
        })
        .toEqual([]);
    }
    await daemon.stop({ haltExecutions: true });
    await expect.poll(relays).toEqual([]);
    await daemon.start();
  });
});
