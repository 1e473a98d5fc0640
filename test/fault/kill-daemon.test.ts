// The daemon is killed with -9 at random times: every acknowledged message gets exactly one final execution, and none
// runs twice.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Docker from 'dockerode';
import { afterEach, describe, expect, it } from 'vitest';
import { EXECUTION_LABEL, INSTANCE_LABEL, KIND_LABEL } from '../../daemon/executor/docker/labels.ts';
import { type BuiltDaemon, builtDaemon, type DaemonOptions, until } from '../support/daemon/daemon.ts';
import { dockerRequirement, testImages } from '../support/engine/docker.ts';
import { processesWith } from '../support/engine/process-harness.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { type Counted, count, idle } from '../support/storms/kill-count.ts';
import { dice, type Sent, seedOf, storm, stormActors, stormScript } from '../support/storms/kill-storm.ts';

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

const report = (name: string, begun: number, sent: Sent, counted: Counted): void =>
  console.log(
    `${name}: ${KILLS} kills, ${sent.acknowledged.size} acknowledged, ${sent.unknown.size} unanswered, ${sent.halts} halts, ` +
      `${sent.purges} purges, ${sent.updates} updates; ${counted.executions} executions: ${counted.complete} by themselves, ${counted.halted} halted, ` +
      `${counted.cancelled} cancelled; ${Math.round((performance.now() - begun) / 1000)} s`,
  );

/** The executions in the given order, without repeats. */
const onceInOrder = (starts: readonly string[], expected: readonly string[]): readonly string[] =>
  starts.filter((id) => expected.includes(id));

describe('a daemon that is killed under load, with file: actors', () => {
  it(`loses no message and runs none twice over ${KILLS} kills`, { timeout: 300_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'actorctl-storm-'));
    left.push(() => rmSync(folder, { recursive: true, force: true }));
    const seen = join(folder, 'starts');
    writeFileSync(seen, '');
    writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', 'main.sh'] }));
    writeFileSync(join(folder, 'main.sh'), stormScript(`echo "$_svc_execution_id" >> '${seen}'`));
    const { daemon, random } = await begin('file: actors', { engine: 'none' });
    const begun = performance.now();
    const actors = await stormActors(daemon, pathToFileURL(folder).href);
    const sent = await storm(daemon, actors, { kills: KILLS, clients: 4, random, lifeMs: 500, pauseMs: 100 });
    await idle(daemon);
    const starts = readFileSync(seen, 'utf8').split('\n').slice(0, -1);
    const counted = await count(daemon, actors, sent, (id) => starts.filter((one) => one === id).length);
    report('file: actors', begun, sent, counted);
    expect(counted.faults).toEqual([]);
    expect(onceInOrder(starts, counted.inOrder)).toEqual(counted.inOrder);
    expect((await daemon.stop()).code).toBe(0);
    await until(() => processesWith(daemon.folder, 'cmdline').length === 0);
  });
});

/** Starts and ends of the containers of this daemon, as reported by the engine. */
const watchEngine = async (docker: Docker) => {
  const started: { readonly id: string; readonly action: string; readonly instance: string }[] = [];
  const stream = await docker.getEvents({
    filters: { type: ['container'], event: ['start', 'die', 'died'], label: [`${KIND_LABEL}=run`] },
  });
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines.filter((text) => text !== '')) {
      const { Action, Actor } = JSON.parse(line) as { Action: string; Actor: { Attributes: Record<string, string> } };
      const { [EXECUTION_LABEL]: id = '', [INSTANCE_LABEL]: instance = '' } = Actor.Attributes;
      started.push({ id, action: Action, instance });
    }
  });
  left.push(() => {
    if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy();
  });
  return { of: (instance: string) => started.filter((event) => event.instance === instance) };
};

describeIf(await dockerRequirement(), 'a daemon that is killed under load, with containers', () => {
  it(`loses no message and runs none twice over ${KILLS} kills`, { timeout: 420_000 }, async () => {
    const docker = new Docker();
    const images = testImages(docker);
    left.push(() => images.remove());
    const image = await images.script(stormScript());
    const engine = await watchEngine(docker);
    const { daemon, random } = await begin('containers');
    const begun = performance.now();
    const actors = await stormActors(daemon, image);
    const sent = await storm(daemon, actors, { kills: KILLS, clients: 4, random, lifeMs: 900, pauseMs: 300 });
    await idle(daemon);
    const instance = daemon.instanceId();
    const label = [`${INSTANCE_LABEL}=${instance}`];
    const containers = () => docker.listContainers({ all: true, filters: { label } });
    await until(async () => (await containers()).every(({ Labels }) => Labels[KIND_LABEL] === 'holder'));
    const events = engine.of(instance);
    const starts = events.filter(({ action }) => action === 'start').map(({ id }) => id);
    const counted = await count(daemon, actors, sent, (id) => starts.filter((one) => one === id).length);
    report('containers', begun, sent, counted);
    expect(counted.faults).toEqual([]);
    expect(onceInOrder(starts, counted.inOrder)).toEqual(counted.inOrder);
    // The stateful actor never had two running containers.
    const own = events.filter(({ id }) => counted.inOrder.includes(id)).map(({ id, action }) => `${action} ${id}`);
    expect(own).toEqual(counted.inOrder.flatMap((id) => [`start ${id}`, `die ${id}`]));
    expect((await daemon.stop()).code).toBe(0);
    expect(await containers()).toEqual([]);
    expect(await docker.listNetworks({ filters: { label } })).toEqual([]);
    await until(() => processesWith(daemon.folder, 'cmdline').length === 0);
  });
});
