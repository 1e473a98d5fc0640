// The daemon, the relay and the service of an engine without root are killed with -9 at random times, in random order: every
// acknowledged message gets exactly one final execution, none runs twice, and nothing is left after a stop.
import { randomInt } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { crashActors, crashScript, dice, REACH_API, runCrashTest, seedOf } from '../support/crash/crash-test.ts';
import { count, idle, report } from '../support/crash/kill-count.ts';
import { mark, type RootlessWitness, rootlessWitness } from '../support/crash/rootless-witness.ts';
import { type BuiltDaemon, builtDaemon, reaches, register, send, until } from '../support/daemon/daemon.ts';
import { dockerRequirement, type TestImages, testImages } from '../support/engine/docker.ts';
import { alive, processesWith } from '../support/engine/process-harness.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { sendKill } from '../support/runner/rootless-service.ts';

/** `ACTORCTL_TEST_KILLS=50` sets their number, `ACTORCTL_TEST_SEED=44` repeats their order. */
const KILLS = Number(process.env['ACTORCTL_TEST_KILLS'] ?? 8);
/** An audit follows each round. So a test takes less than its time limit, however many kills there are. */
const KILLS_PER_ROUND = 10;
const rounds = Array.from({ length: Math.ceil(KILLS / KILLS_PER_ROUND) }, (_, round) => ({
  round: round + 1,
  kills: Math.min(KILLS_PER_ROUND, KILLS - round * KILLS_PER_ROUND),
}));

/** Networks that an engine has before its first use. */
const OWN_NETWORKS = ['bridge', 'host', 'none', 'podman'];

const rootless = inject('rootless');

/** Its working directory. Undefined if the process has ended. */
const folderOf = (pid: number): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
};

/** A port outside of those that the system gives to clients, so that it is free again when the daemon restarts. */
const freePort = async (): Promise<string> => {
  const port = randomInt(10_000, 32_768);
  const isFree = await new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
  return isFree ? String(port) : freePort();
};

describeIf(await dockerRequirement(), 'an engine without root that is killed', () => {
  const docker = new Docker();
  const seed = seedOf(process.env);
  const random = dice(seed);
  let witness: RootlessWitness;
  let daemon: BuiltDaemon;
  let images: TestImages;

  beforeAll(async () => {
    if ('missing' in rootless) throw new Error(rootless.missing);
    witness = await rootlessWitness(rootless);
    images = testImages(docker);
    // Containers reach the daemon again only at the same port.
    const port = await freePort();
    const built = builtDaemon();
    daemon = { ...built, start: () => built.start('--port', port) };
    await daemon.start();
    await daemon.admit();
  });
  afterAll(async () => {
    await daemon?.remove();
    await images?.remove();
  });

  const relays = (): readonly number[] =>
    processesWith('actor-relay.cjs', 'cmdline').filter((pid) => folderOf(pid) === daemon.stateDir);

  const restartDaemon = async () => {
    await daemon.kill();
    await daemon.start();
  };
  const restartService = async () => {
    await witness.service.kill();
    await witness.service.start();
  };
  const strikes: readonly (() => Promise<unknown>)[] = [
    restartDaemon,
    restartService,
    () => Promise.all([restartDaemon(), restartService()]),
    async () => relays().forEach(sendKill),
  ];
  let left: (() => Promise<unknown>)[] = [];
  /** Does each of the strikes once, in random order, before it does one again. */
  const strike = async () => {
    if (left.length === 0) left = [...strikes];
    await left.splice(Math.floor(random() * left.length), 1)[0]?.();
  };

  it.each(rounds)('of which $kills kills in round $round lose no message and run none twice', async ({ kills }) => {
    console.log(`kills without root: ACTORCTL_TEST_SEED=${seed}`);
    const begun = performance.now();
    const image = await images.script(crashScript(mark('start'), REACH_API, mark('end')));
    const actors = await crashActors(daemon, image);
    const plan = { kills, clients: 4, random, lifeMs: 4_000, pauseMs: 1_000, strike };
    const sent = await runCrashTest(daemon, actors, plan);
    await idle(daemon);
    const counted = await count(daemon, actors, sent, witness.startsOf, {
      hasOutputs: true,
      interrupted: /the container engine/,
    });
    report('kills without root', kills, begun, sent, counted);
    expect(counted.faults).toEqual([]);
    // Only a kill of the service interrupts executions.
    expect(counted.complete).toBeGreaterThan(counted.interrupted);
    // Never two runs of the stateful actor at once.
    const own = witness.lines().filter((line) => counted.inOrder.includes(line.replace(/^\w+ /, '')));
    expect(own).toEqual(counted.inOrder.flatMap((id) => [`start ${id}`, `end ${id}`]));
  });

  // The window is too small for kills at random times.
  it.each(['runs', 'has ended'] as const)(
    'an engine that is killed between a start and its record does not run the execution again if the run %s by then',
    async (when) => {
      const go = `go-${when.slice(0, 3)}`;
      const script = `${mark('start')}; until [ -e /witness/${go} ]; do sleep 0.05; done; ${mark('end')}`;
      const actor = await register(daemon, { image: await images.script(script) });
      const held = witness.holdStart();
      const execution = await send(daemon, actor);
      await held;
      await until(() => witness.startsOf(execution) > 0);
      if (when === 'has ended') {
        witness.put(go);
        await expect.poll(() => witness.lines()).toContain(`end ${execution}`);
      }
      await witness.service.kill();
      await witness.service.start();
      const ended = await reaches(daemon, actor, execution);
      expect(ended).toMatchObject({
        status: 'ERROR',
        statusMessage: expect.stringContaining('the container engine went down while it started the container'),
      });
      expect(witness.startsOf(execution)).toBe(1);
      witness.put(go);
    },
  );

  it('leaves no process, network or container after the stop of the daemon', async () => {
    expect((await daemon.stop()).code).toBe(0);
    await images.remove();
    expect(await docker.listContainers({ all: true })).toEqual([]);
    const networks = (await docker.listNetworks()).map(({ Name }) => Name);
    expect(networks.filter((name) => !OWN_NETWORKS.includes(name))).toEqual([]);
    await expect.poll(() => processesWith(daemon.folder, 'cmdline')).toEqual([]);
    await expect.poll(() => processesWith('_svc_execution_id', 'environ').filter(alive)).toEqual([]);
    await expect.poll(relays).toEqual([]);
  });
});
