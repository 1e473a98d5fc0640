// The container of the next message on a real engine: it exists while the one before runs, and a killed daemon leaves
// neither a container nor a second run.
import Docker from 'dockerode';
import { expect, it, onTestFinished } from 'vitest';
import { EXECUTION_LABEL } from '../../../daemon/executor/docker/labels.ts';
import { builtDaemon, logsOf, reaches, register, send, until } from '../../support/daemon/daemon.ts';
import { dockerRequirement, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

describeIf(await dockerRequirement(), 'the container of the next message', () => {
  it('is created while the one before runs, and replaced after a kill -9', { timeout: 120_000 }, async () => {
    const docker = new Docker();
    const images = testImages(docker);
    const daemon = builtDaemon();
    onTestFinished(async () => {
      await daemon.remove();
      await images.remove();
    }, 120_000);
    await daemon.start();
    await daemon.admit();
    const image = await images.script('echo "ran $MSG"; [ "$MSG" = next ] || exec sleep 600');
    const actor = await register(daemon, { image, maxWorkers: 1 });
    const [first, next] = [await send(daemon, actor, { body: 'first' }), await send(daemon, actor, { body: 'next' })];
    const containersOf = (execution: string) =>
      docker.listContainers({ all: true, filters: { label: [`${EXECUTION_LABEL}=${execution}`] } });

    await until(async () => (await containersOf(next)).length === 1);
    const [prepared] = await containersOf(next);
    expect(prepared?.State).toBe('created');
    expect((await containersOf(first))[0]?.State).toBe('running');

    await daemon.kill();
    await daemon.start();
    await until(async () => (await containersOf(next)).every(({ Id }) => Id !== prepared?.Id));
    await daemon.ask('DELETE', `/actors/v2/${actor}/executions/${first}?grace=0`);
    expect(await reaches(daemon, actor, next)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    expect(await logsOf(daemon, actor, next)).toBe('ran next\n');
    await until(async () => (await containersOf(next)).length === 0);
  });
});
