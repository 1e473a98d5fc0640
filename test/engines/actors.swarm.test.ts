// Actors of a built daemon on a real swarm of two nodes: their state, their links, and kills of the daemon. The tests run
// side by side, because a run on a swarm is mostly a wait.
import { afterAll, expect, it, type TestContext } from 'vitest';
import { INSTANCE_LABEL } from '../../daemon/executor/docker/labels.ts';
import { runContainerCrashTest, watchContainers } from '../support/crash/container-crash-test.ts';
import { crashScript, dice, seedOf } from '../support/crash/crash-test.ts';
import { type BuiltDaemon, logsOf, reaches, register, send, show, until } from '../support/daemon/daemon.ts';
import { inProcessHome } from '../support/daemon/home.ts';
import { testImages } from '../support/engine/docker.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { engineOf, swarmDaemon, swarmLab, swarmRequirement } from '../support/swarm/swarm.ts';
import { CHAIN_LINK, type Ran, runChain } from '../support/workloads/chain.ts';
import { COUNTER, countTo } from '../support/workloads/counter.ts';

const MESSAGES = Number(process.env['ACTORCTL_TEST_MESSAGES'] ?? 40);
const KILLS = Number(process.env['ACTORCTL_TEST_KILLS'] ?? 6);

/** How many executions ran on each node, by its name. */
const byNode = async (daemon: BuiltDaemon, all: readonly Ran[]): Promise<Readonly<Record<string, number>>> => {
  const counts: Record<string, number> = {};
  for (const { actor, execution } of all) {
    const { node } = await show(daemon, actor, execution);
    counts[String(node)] = (counts[String(node)] ?? 0) + 1;
  }
  return counts;
};

describeIf(swarmRequirement(), 'actors on a swarm', () => {
  const manager = engineOf(1);
  const images = testImages(manager);
  afterAll(() => images.remove());

  const started = async ({
    onTestFinished,
  }: TestContext): Promise<{ readonly daemon: BuiltDaemon; readonly token: string }> => {
    const daemon = swarmDaemon();
    onTestFinished(() => daemon.remove());
    await daemon.start();
    return { daemon, token: await daemon.admit() };
  };

  it.concurrent(`each of ${MESSAGES} messages to a stateful actor adds one to the previous state`, async (test) => {
    const { daemon } = await started(test);
    const counts = await byNode(daemon, await countTo(daemon, await images.script(COUNTER), MESSAGES));
    console.log(`counter on a swarm: ${MESSAGES} messages, ${JSON.stringify(counts)}`);
    expect(Object.keys(counts).toSorted()).toEqual(['node1', 'node2']);
  });

  it.concurrent('`up` warns that other machines reach the daemon', async ({ onTestFinished }) => {
    const { host, registry, gateway } = swarmLab();
    const home = inProcessHome({ DOCKER_HOST: host });
    onTestFinished(() => home.remove());
    const up = await home.cli(['up', '--port', 'auto', '--engine', 'swarm', '--registry', registry]);
    expect(up.stderr).toMatch(
      new RegExp(
        `can reach the daemon at http://${gateway}:\\d+ over plain HTTP. That address accepts only tokens of running executions`,
      ),
    );
    const status = await home.json<{ nodes: { name: string }[] }>('status');
    expect(status.nodes.map(({ name }) => name).toSorted()).toEqual(['node1', 'node2']);
  });

  it.concurrent('a start without flags resumes what a killed daemon left on the swarm', async ({ onTestFinished }) => {
    const { host, registry } = swarmLab();
    const home = inProcessHome({ DOCKER_HOST: '' });
    onTestFinished(() => home.remove());
    await home.up('--docker-host', host, '--engine', 'swarm', '--registry', registry);
    await home.json('actors', 'create', await images.script('sleep 1000'), '--name', 'sleeper', '--wait');
    const execution = (await home.cli(['send', 'sleeper', '-m', 'x', '--quiet'])).stdout.trim();
    const shown = () => home.json('executions', 'show', execution);
    const status = async () => (await shown())['status'];
    await until(async () => (await status()) === 'RUNNING');
    await home.kill();
    await home.json('up');
    expect(await home.json('settings', 'get', 'daemon.engine')).toMatchObject({ value: 'swarm', source: 'start' });
    expect(await status()).toBe('RUNNING');
    // An execution is RUNNING before Swarm has chosen its node.
    await until(async () => (await shown())['node'] !== undefined);
    const halted = await home.cli(['executions', 'halt', execution, '--yes', '--grace', '1s']);
    expect(halted).toMatchObject({ code: 0, stderr: expect.stringContaining('SIGKILL follows after 10 seconds') });
    await until(async () => (await status()) !== 'RUNNING');
    expect(await status()).toBe('COMPLETE');
  });

  it.concurrent('the address that other machines reach accepts only tokens of running executions', async (test) => {
    const { daemon, token } = await started(test);
    const address = String((await daemon.manage('daemon.status'))['actorBaseUrl']);
    const ask = async (origin: string, bearer: string, path = '/actors/v2') =>
      (await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${bearer}` } })).status;
    const image = await images.script('echo "$_svc_access_token"; sleep 1000');
    const actor = await register(daemon, { image, token: true });
    const execution = await send(daemon, actor);
    const printed = async () => (await logsOf(daemon, actor, execution)).trim();
    await until(async () => (await printed()) !== '');
    const ofExecution = await printed();
    expect([await ask(daemon.baseUrl(), token), await ask(address, token)]).toEqual([200, 401]);
    expect(await ask(address, ofExecution)).toBe(200);
    const paths = ['/', '/login', '/authorize', '/oauth/clients', '/healthz', '/openapi.json'];
    expect(await Promise.all(paths.map((path) => ask(address, token, path)))).toEqual(paths.map(() => 401));
    await daemon.ask('DELETE', `/actors/v2/${actor}/executions/${execution}`);
    await reaches(daemon, actor, execution);
    expect(await ask(address, ofExecution)).toBe(401);
  });

  it.concurrent('a chain of 10 actors carries one message to its end over both nodes', async (test) => {
    const { daemon, token } = await started(test);
    const counts = await byNode(daemon, await runChain(daemon, token, await images.script(CHAIN_LINK), 10));
    expect(Object.keys(counts).toSorted()).toEqual(['node1', 'node2']);
  });

  it.concurrent(`a daemon that is killed ${KILLS} times under load loses no message and runs none twice`, async (test) => {
    const seed = seedOf(process.env);
    console.log(`swarm: ACTORCTL_TEST_SEED=${seed}`);
    const engines = [1, 2].map(engineOf);
    const watched = await watchContainers(engines);
    test.onTestFinished(watched.stop);
    const { daemon } = await started(test);
    await runContainerCrashTest('swarm', daemon, watched, {
      image: await images.script(crashScript()),
      hasOutputs: false,
      crashes: { kills: KILLS, clients: 4, random: dice(seed), lifeMs: 4_000, pauseMs: 600 },
    });
    expect((await daemon.stop()).code).toBe(0);
    const filters = { label: [`${INSTANCE_LABEL}=${daemon.instanceId()}`] };
    const objects = [
      manager.listServices({ filters }),
      manager.listConfigs({ filters }),
      manager.listSecrets({ filters }),
    ];
    expect(await Promise.all(objects)).toEqual([[], [], []]);
    expect(await watched.containersOf(daemon.instanceId())).toEqual([]);
  });
});
