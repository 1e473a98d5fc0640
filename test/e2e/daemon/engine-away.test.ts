// The built daemon and an engine that comes and goes: an engine of the test's own, stopped and started under running executions.
import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { KIND_LABEL } from '../../../daemon/executor/docker/labels.ts';
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
import { describeIf } from '../../support/runner/requirements.ts';

const LONG = { timeout: 180_000 };
const tidy: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const each of tidy.splice(0).reverse()) await each();
}, 120_000);

interface Engine {
  readonly name: string;
  readonly available: boolean;
  readonly detail: string;
}

/** Runs until the message `caught` is interrupted; ends at once for every other. */
const SCRIPT = `trap 'exit 143' TERM; echo begin; [ "$MSG" != caught ] || { sleep 60 & wait; }; echo end`;
const CAUGHT = { body: 'caught' };

const daemonFor = async (engine: OwnDockerd): Promise<BuiltDaemon> => {
  const daemon = builtDaemon({ flags: ['--docker-host', engine.host] });
  tidy.push(() => daemon.remove());
  await daemon.start();
  await daemon.admit();
  return daemon;
};

const dockerOf = async (daemon: BuiltDaemon): Promise<Engine | undefined> =>
  ((await daemon.manage('GET', '/manage/status'))['engines'] as Engine[]).find(({ name }) => name === 'docker');

describeIf(ownDockerdRequirement(), 'a container engine that goes away', () => {
  // One for all tests: each leaves it running.
  let engine: OwnDockerd;
  let docker: Docker;
  let image: string;
  beforeAll(async () => {
    engine = await ownDockerd();
    await engine.start();
    docker = new Docker({ socketPath: engine.socketPath });
    image = await testImages(docker).script(SCRIPT);
  }, LONG.timeout);
  afterAll(() => engine?.remove(), LONG.timeout);

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'is stopped by %s in the middle of an execution: one final execution, and the next message works',
    LONG,
    async (signal) => {
      const daemon = await daemonFor(engine);
      const actor = await register(daemon, { image });
      const caught = await send(daemon, actor, CAUGHT);
      await until(async () => (await logsOf(daemon, actor, caught)).includes('begin'));
      await engine.stop(signal);
      await until(async () => (await dockerOf(daemon))?.available === false);
      expect((await dockerOf(daemon))?.detail).toContain(engine.socketPath);
      const next = await send(daemon, actor);
      await until(async () => String((await show(daemon, actor))['statusMessage']).includes(engine.socketPath));
      expect(await show(daemon, actor, next)).toMatchObject({ status: 'SUBMITTED' });
      await engine.start();
      const ended = await reaches(daemon, actor, caught);
      expect(['COMPLETE', 'ERROR']).toContain(ended['status']);
      expect((await logsOf(daemon, actor, caught)).match(/begin/g)).toHaveLength(1);
      expect(await reaches(daemon, actor, next)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
      expect(await logsOf(daemon, actor, next)).toBe('begin\nend\n');
      expect(await show(daemon, actor)).toMatchObject({ status: 'READY', statusMessage: '' });
      expect((await daemon.ask('GET', `/actors/v2/${actor}/executions`)).result['executions']).toHaveLength(2);
      // What the daemon thinks is over is over in the engine too.
      const filters = { label: [KIND_LABEL] };
      await until(async () =>
        (await docker.listContainers({ all: true, filters })).every(({ Labels }) => Labels[KIND_LABEL] === 'holder'),
      );
    },
  );

  it(
    'goes down together with the daemon: both come back, one final execution each, and nothing old is said',
    LONG,
    async () => {
      const daemon = await daemonFor(engine);
      const actor = await register(daemon, { image });
      const other = await register(daemon, { image });
      await until(async () => (await show(daemon, other))['status'] === 'READY');
      const caught = await send(daemon, actor, CAUGHT);
      await until(async () => (await logsOf(daemon, actor, caught)).includes('begin'));
      await engine.stop();
      const next = await send(daemon, other);
      await until(async () => String((await show(daemon, other))['statusMessage']).includes(engine.socketPath));
      await daemon.kill();
      await engine.start();
      await daemon.start();
      const ended = await reaches(daemon, actor, caught);
      expect(['COMPLETE', 'ERROR']).toContain(ended['status']);
      expect(await reaches(daemon, other, next)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
      expect(await logsOf(daemon, other, next)).toBe('begin\nend\n');
      for (const id of [actor, other])
        expect(await show(daemon, id)).toMatchObject({ status: 'READY', statusMessage: '' });
    },
  );

  it(
    'is not there at all: the daemon is up and says so, file: actors work, containers wait until it appears',
    LONG,
    async () => {
      await engine.stop();
      const daemon = await daemonFor(engine);
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
      await engine.start();
      expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
      expect(await logsOf(daemon, actor, execution)).toBe('begin\nend\n');
      expect(await show(daemon, actor)).toMatchObject({ status: 'READY', statusMessage: '' });
    },
  );
});
