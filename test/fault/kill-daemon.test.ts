// The daemon is killed with -9 at random times: every acknowledged message gets exactly one final execution, and none
// runs twice.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Docker from 'dockerode';
import { afterEach, describe, expect, it } from 'vitest';
import { INSTANCE_LABEL } from '../../daemon/executor/docker/labels.ts';
import { runContainerCrashTest, watchContainers } from '../support/crash/container-crash-test.ts';
import { crashActors, crashScript, dice, runCrashTest, seedOf } from '../support/crash/crash-test.ts';
import { count, idle, onceInOrder, report } from '../support/crash/kill-count.ts';
import { type BuiltDaemon, builtDaemon, type DaemonOptions, until } from '../support/daemon/daemon.ts';
import { dockerRequirement, testImages } from '../support/engine/docker.ts';
import { processesWith } from '../support/engine/process-harness.ts';
import { describeIf } from '../support/runner/requirements.ts';

const KILLS = Number(process.env['ACTORCTL_TEST_KILLS'] ?? 50);

const left: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const tidy of left.splice(0).reverse()) await tidy();
});

const begin = async (
  name: string,
  options: DaemonOptions = {},
): Promise<{ readonly daemon: BuiltDaemon; readonly random: () => number }> => {
  const seed = seedOf(process.env);
  console.log(`${name}: ACTORCTL_TEST_SEED=${seed}`);
  const daemon = builtDaemon(options);
  left.push(() => daemon.remove());
  await daemon.start();
  await daemon.admit();
  return { daemon, random: dice(seed) };
};

describe('a daemon that is killed under load, with file: actors', () => {
  it(`loses no message and runs none twice over ${KILLS} kills`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'actorctl-crash-'));
    left.push(() => rmSync(folder, { recursive: true, force: true }));
    const seen = join(folder, 'starts');
    writeFileSync(seen, '');
    writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', 'main.sh'] }));
    writeFileSync(join(folder, 'main.sh'), crashScript(`echo "$_svc_execution_id" >> '${seen}'`));
    const { daemon, random } = await begin('file: actors', { engine: 'none' });
    const begun = performance.now();
    const actors = await crashActors(daemon, pathToFileURL(folder).href);
    const sent = await runCrashTest(daemon, actors, { kills: KILLS, clients: 4, random, lifeMs: 500, pauseMs: 100 });
    await idle(daemon);
    const starts = readFileSync(seen, 'utf8').split('\n').slice(0, -1);
    const counted = await count(daemon, actors, sent, (id) => starts.filter((one) => one === id).length);
    report('file: actors', KILLS, begun, sent, counted);
    expect(counted.faults).toEqual([]);
    expect(onceInOrder(starts, counted.inOrder)).toEqual(counted.inOrder);
    expect((await daemon.stop()).code).toBe(0);
    await until(() => processesWith(daemon.folder, 'cmdline').length === 0);
  });
});

describeIf(await dockerRequirement(), 'a daemon that is killed under load, with containers', () => {
  it(`loses no message and runs none twice over ${KILLS} kills`, async () => {
    const docker = new Docker();
    const images = testImages(docker);
    left.push(() => images.remove());
    const image = await images.script(crashScript());
    const engine = await watchContainers([docker]);
    left.push(engine.stop);
    const { daemon, random } = await begin('containers');
    await runContainerCrashTest('containers', daemon, engine, {
      image,
      hasOutputs: true,
      crashes: { kills: KILLS, clients: 4, random, lifeMs: 900, pauseMs: 300 },
    });
    expect((await daemon.stop()).code).toBe(0);
    expect(await engine.containersOf(daemon.instanceId())).toEqual([]);
    const filters = { label: [`${INSTANCE_LABEL}=${daemon.instanceId()}`] };
    expect(await docker.listNetworks({ filters })).toEqual([]);
    await until(() => processesWith(daemon.folder, 'cmdline').length === 0);
  });
});
