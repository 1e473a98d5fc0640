// `exec` on a real engine: its images have tags of their own, and nothing of it stays in the engine.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dice, seedOf } from '../../support/crash/crash-test.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { startProcess } from '../../support/daemon/run-program.ts';
import { dockerRequirement } from '../../support/engine/docker.ts';
import { processesWith } from '../../support/engine/process-harness.ts';
import { scratchActor } from '../../support/engine/scratch-actor.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const KILLS = Number(process.env['ACTORCTL_TEST_KILLS'] ?? 6);
/** An upper bound of the time from the start of `exec` to the end of its command here. */
const LIFE_MS = 8_000;

describeIf(await dockerRequirement(), 'exec with containers', () => {
  const engine = new Docker();
  const repository = `actorctl-test/${randomBytes(6).toString('hex')}`;
  const name = `${repository}:dev`;
  let home: Home;
  let folder: string;

  beforeAll(async () => {
    home = inProcessHome();
    await home.up();
    folder = scratchActor(join(home.folder, 'greet'), 'echo greeted\n', { name: 'greet', image: name });
  });
  afterAll(async () => {
    await home.remove();
    for (const tag of await tags()) await engine.getImage(tag).remove({ force: true });
  });

  const tags = async (): Promise<readonly string[]> =>
    (await engine.listImages({ filters: { reference: [repository] } })).flatMap(({ RepoTags }) => RepoTags ?? []);
  /** Containers and networks of temporary instances. */
  const objects = async (): Promise<readonly string[]> => {
    const containers = await engine.listContainers({ all: true });
    const networks = await engine.listNetworks();
    return [...containers.flatMap(({ Names }) => Names), ...networks.map(({ Name }) => Name)].filter((each) =>
      /temp-[0-9a-f]{8}/.test(each),
    );
  };
  const exec = (...args: readonly string[]) =>
    startProcess(['exec', '--project', folder, '--', ...args], { env: home.env, cwd: home.folder });

  it('leaves the image of a deployed actor, and removes its own images, containers and networks, alone and side by side', async () => {
    await home.json('actors', 'deploy', folder, '--wait');
    const { Id } = await engine.getImage(name).inspect();
    const script = 'actorctl run greet -m hi && actorctl actors deploy greet --wait -q >&2 && actorctl run greet -m hi';
    const all = await Promise.all([1, 2, 3].map(() => exec('sh', '-c', script).ended));
    expect(all.map(({ code, stdout }) => [code, stdout])).toEqual(Array(3).fill([0, 'greeted\ngreeted\n']));
    expect(await tags()).toEqual([name]);
    expect((await engine.getImage(name).inspect()).Id).toBe(Id);
    expect(await objects()).toEqual([]);
    expect((await home.cli(['run', 'greet', '-m', 'hi'])).stdout).toBe('greeted\n');
  });

  it('that was killed leaves nothing in the engine', async () => {
    const { child, out } = exec('sh', '-c', 'actorctl run greet -m hi; exec sleep 607');
    await expect.poll(out).toBe('greeted\n');
    expect(await tags()).toHaveLength(2);
    child.kill('SIGKILL');
    await expect.poll(tags, { interval: 200 }).toEqual([name]);
    await expect.poll(objects, { interval: 200 }).toEqual([]);
  });

  it(`that is killed ${KILLS} times at random moments leaves nothing behind, and no home after the next one`, async () => {
    const seed = seedOf(process.env);
    console.log(`exec: ACTORCTL_TEST_SEED=${seed}`);
    const random = dice(seed);
    const temporary = join(home.folder, 'cache', 'temporary');
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, ended } = exec('sh', '-c', 'for n in 1 2 3 4 5; do actorctl run greet -m hi; done');
      await pause(random() * LIFE_MS);
      child.kill('SIGKILL');
      await ended;
    }
    await expect.poll(() => processesWith(temporary, 'environ'), { interval: 200 }).toEqual([]);
    const temporaryTags = async () => (await tags()).filter((tag) => tag !== name);
    await expect.poll(temporaryTags, { interval: 200 }).toEqual([]);
    await expect.poll(objects, { interval: 200 }).toEqual([]);
    expect((await exec('true').ended).code).toBe(0);
    expect(existsSync(temporary) ? readdirSync(temporary) : []).toEqual([]);
  });
});
