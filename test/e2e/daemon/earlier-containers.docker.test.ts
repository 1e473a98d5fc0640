// Pause containers with the label and the names of an earlier version: the current daemon reuses or removes them.
import { randomBytes } from 'node:crypto';
import Docker from 'dockerode';
import { expect, it, onTestFinished } from 'vitest';
import { INSTANCE_LABEL, KIND_LABEL } from '../../../daemon/executor/docker/labels.ts';
import { builtDaemon, reaches, register, send, until } from '../../support/daemon/daemon.ts';
import { dockerRequirement, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

describeIf(await dockerRequirement(), 'a daemon that follows an earlier version', () => {
  it('keeps the network of a worker that is still running, and removes the networks of former workers and the spare network', async () => {
    const docker = new Docker();
    const images = testImages(docker);
    onTestFinished(() => images.remove());
    const daemon = builtDaemon();
    onTestFinished(() => daemon.remove());
    await daemon.start();
    await daemon.admit();
    const actor = await register(daemon, { image: await images.script('true') });
    const execute = async () => reaches(daemon, actor, await send(daemon, actor));
    const { workerId } = await execute();
    const filters = { label: [`${INSTANCE_LABEL}=${daemon.instanceId()}`] };
    const containers = () => docker.listContainers({ all: true, filters });
    await until(async () => (await containers()).every(({ Labels }) => Labels[KIND_LABEL] === 'pause'));
    await daemon.kill();
    const named = async (part: string) =>
      (await containers()).filter(({ Names }) => Names.some((name) => name.includes(part))).map(({ Id }) => Id);
    const [pattern] = await named(`-pause-${workerId}.`);
    const { Image, HostConfig, Config } = await docker.getContainer(String(pattern)).inspect();
    await docker.getContainer(String(pattern)).remove({ force: true });
    const leave = async (use: string): Promise<string> => {
      const container = await docker.createContainer({
        name: `actorctl-default-${use}.${randomBytes(8).toString('hex')}`,
        Image,
        HostConfig,
        Labels: { ...Config.Labels, [KIND_LABEL]: 'holder' },
      });
      await container.start();
      return container.id;
    };
    const kept = await leave(`holder-${workerId}`);
    const others = [await leave('holder-gone'), await leave('spare')];
    await daemon.start();
    const ids = async () => (await containers()).map(({ Id }) => Id);
    await until(async () => !(await ids()).some((id) => others.includes(id)));
    expect(await execute()).toMatchObject({ status: 'COMPLETE', workerId });
    expect(await named(`-${workerId}.`)).toEqual([kept]);
    // The end of the worker removes its network.
    await daemon.ask('DELETE', `/actors/v2/${actor}`);
    await until(async () => !(await ids()).includes(kept));
  });
});
