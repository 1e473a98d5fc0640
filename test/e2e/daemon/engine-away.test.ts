// A container engine that stops and starts during executions of the built daemon. The test runs an engine of its own.
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { INSTANCE_LABEL, KIND_LABEL } from '../../../daemon/executor/docker/labels.ts';
import {
  type BuiltDaemon,
  builtDaemon,
  logsOf,
  reaches,
  register,
  scriptImage,
  send,
  show,
  until,
} from '../../support/daemon/daemon.ts';
import { testImages } from '../../support/engine/docker.ts';
import { type OwnDockerd, ownDockerd, ownDockerdRequirement } from '../../support/engine/own-dockerd.ts';
import { type Outage, sharedOutage } from '../../support/engine/shared-outage.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const AT_ONCE = { concurrent: true };

interface Engine {
  readonly name: string;
  readonly available: boolean;
  readonly detail: string;
}

/** Runs until the message `caught` is interrupted, and then exits with 0; ends at once for every other. */
const SCRIPT = `trap 'exit 0' TERM; echo begin; [ "$MSG" != caught ] || { sleep 60 & wait; }; echo end`;
const CAUGHT = { body: 'caught' };

/** Starts a daemon that the test removes at its end. */
const daemonFor = async (engine: OwnDockerd, { onTestFinished }: TestContext): Promise<BuiltDaemon> => {
  const daemon = builtDaemon({ flags: ['--docker-host', engine.host] });
  onTestFinished(() => daemon.remove());
  await daemon.start();
  await daemon.admit();
  return daemon;
};

const dockerOf = async (daemon: BuiltDaemon): Promise<Engine | undefined> =>
  ((await daemon.manage('daemon.status'))['engines'] as Engine[]).find(({ name }) => name === 'docker');

/** The execution is ERROR although its process exited with 0, and so is the event that goes to links and webhooks. */
const expectInterrupted = async (daemon: BuiltDaemon, actor: string, execution: string): Promise<void> => {
  expect(await reaches(daemon, actor, execution)).toMatchObject({
    status: 'ERROR',
    exitCode: 0,
    statusMessage: expect.stringContaining('the container engine'),
  });
  const { events } = (await daemon.ask('GET', `/actors/v2/events?actorId=${actor}&limit=100`)).result;
  expect(events).toContainEqual(expect.objectContaining({ execution_id: execution, status: 'ERROR', exit_code: 0 }));
};

describeIf(ownDockerdRequirement(), 'a container engine', () => {
  let engine: OwnDockerd;
  let docker: Docker;
  let image: string;
  beforeAll(async () => {
    engine = await ownDockerd();
    await engine.start();
    docker = new Docker({ socketPath: engine.socketPath });
    image = await testImages(docker).script(SCRIPT);
  });
  afterAll(() => engine?.remove());

  /** An execution that the outage interrupts, and the next message of its actor. */
  const interrupted = async (test: TestContext, { begin, end }: Outage): Promise<void> => {
    const daemon = await daemonFor(engine, test);
    const actor = await register(daemon, { image });
    const caught = await send(daemon, actor, CAUGHT);
    await until(async () => (await logsOf(daemon, actor, caught)).includes('begin'));
    await begin();
    await until(async () => (await dockerOf(daemon))?.available === false);
    expect((await dockerOf(daemon))?.detail).toContain(engine.socketPath);
    const next = await send(daemon, actor);
    await until(async () => String((await show(daemon, actor))['statusMessage']).includes(engine.socketPath));
    expect(await show(daemon, actor, next)).toMatchObject({ status: 'SUBMITTED' });
    await end();
    await expectInterrupted(daemon, actor, caught);
    expect((await logsOf(daemon, actor, caught)).match(/begin/g)).toHaveLength(1);
    expect(await reaches(daemon, actor, next)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    expect(await logsOf(daemon, actor, next)).toBe('begin\nend\n');
    expect(await show(daemon, actor)).toMatchObject({ status: 'READY', statusMessage: '' });
    expect((await daemon.ask('GET', `/actors/v2/${actor}/executions`)).result['executions']).toHaveLength(2);
    // An execution that has ended for the daemon has ended in the engine too.
    const filters = { label: [KIND_LABEL, `${INSTANCE_LABEL}=${daemon.instanceId()}`] };
    await until(async () =>
      (await docker.listContainers({ all: true, filters })).every(({ Labels }) => Labels[KIND_LABEL] === 'pause'),
    );
  };

  describe('stopped by SIGTERM', () => {
    const outage = sharedOutage(() => engine, 'SIGTERM');

    it('during an execution leaves one final execution, and the next message works', AT_ONCE, (test) =>
      interrupted(test, outage(test)),
    );

    it(
      'together with the daemon leaves one final execution each, and no outdated status message',
      AT_ONCE,
      async (test) => {
        const { begin, end } = outage(test);
        const daemon = await daemonFor(engine, test);
        const actor = await register(daemon, { image });
        const other = await register(daemon, { image });
        await until(async () => (await show(daemon, other))['status'] === 'READY');
        const caught = await send(daemon, actor, CAUGHT);
        await until(async () => (await logsOf(daemon, actor, caught)).includes('begin'));
        await begin();
        const next = await send(daemon, other);
        await until(async () => String((await show(daemon, other))['statusMessage']).includes(engine.socketPath));
        await daemon.kill();
        await end();
        await daemon.start();
        await expectInterrupted(daemon, actor, caught);
        expect(await reaches(daemon, other, next)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
        expect(await logsOf(daemon, other, next)).toBe('begin\nend\n');
        for (const id of [actor, other])
          expect(await show(daemon, id)).toMatchObject({ status: 'READY', statusMessage: '' });
      },
    );

    it(
      'before the daemon starts: the daemon reports it, file: actors work, containers wait for the engine',
      AT_ONCE,
      async (test) => {
        const { begin, end } = outage(test);
        await begin();
        const daemon = await daemonFor(engine, test);
        expect(await dockerOf(daemon)).toMatchObject({
          available: false,
          detail: expect.stringContaining(engine.socketPath),
        });
        const plain = await register(daemon, { image: scriptImage(daemon, 'echo plain') });
        const works = await send(daemon, plain);
        expect(await reaches(daemon, plain, works)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
        const actor = await register(daemon, { image });
        const execution = await send(daemon, actor);
        await until(async () => String((await show(daemon, actor))['statusMessage']).includes(engine.socketPath));
        expect(await show(daemon, actor)).toMatchObject({ status: 'SUBMITTED' });
        expect(await show(daemon, actor, execution)).toMatchObject({ status: 'SUBMITTED' });
        await end();
        expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
        expect(await logsOf(daemon, actor, execution)).toBe('begin\nend\n');
        expect(await show(daemon, actor)).toMatchObject({ status: 'READY', statusMessage: '' });
      },
    );
  });

  describe('stopped by SIGKILL', () => {
    const outage = sharedOutage(() => engine, 'SIGKILL');

    it('during an execution leaves one final execution, and the next message works', AT_ONCE, (test) =>
      interrupted(test, outage(test)),
    );
  });
});
