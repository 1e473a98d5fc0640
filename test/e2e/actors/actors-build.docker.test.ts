// `actors build` on a real engine: a folder becomes an image, and the image runs.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { interrupt } from '../../support/daemon/interrupt.ts';
import { dockerRequirement, testEngine } from '../../support/engine/docker.ts';
import { scratchActor, scratchDockerfile } from '../../support/engine/scratch-actor.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const docker = await dockerRequirement();

describeIf(docker, 'actors build', () => {
  const engine = new Docker();
  const repository = `actorctl-test/${randomBytes(6).toString('hex')}`;
  const made = new Set<string>();
  let home: Home;
  let folder: string;

  beforeAll(async () => {
    home = inProcessHome();
    folder = scratchActor(join(home.folder, 'hello'), 'echo "hello $MSG"\n', {
      name: 'hello',
      image: `${repository}:dev`,
    });
    writeFileSync(join(folder, '.env'), 'SECRET=1\n');
    writeFileSync(join(folder, '.dockerignore'), '.env\n');
    await home.up();
  });
  afterAll(async () => {
    await home.remove();
    for (const image of made) await engine.getImage(image).remove({ force: true });
  });

  it('builds the image, prints its id, and uses the cache for every step the second time', async () => {
    const first = await home.json<{ image: string; id: string; steps: number; size: number }>(
      'actors',
      'build',
      folder,
    );
    made.add(`${repository}:dev`);
    // The last step is the label of actorctl.
    expect(first).toMatchObject({ image: `${repository}:dev`, steps: 5 });
    expect((await engine.getImage(`${repository}:dev`).inspect()).Id).toBe(first.id);
    const again = await home.cli(['actors', 'build', folder]);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stdout).toContain(`Built ${repository}:dev ${first.id.slice(0, 19)}`);
    expect(again.stdout).toContain('(4 of 5 steps cached)');
    const run = await home.json<{ id: string }>(
      'actors',
      'create',
      `${repository}:dev`,
      '--name',
      'built',
      '--wait',
      '--timeout',
      '60s',
    );
    expect(run.id).toMatch(/^\w{13}$/);
    expect(await home.cli(['run', 'built', '-m', 'world'])).toMatchObject({ code: 0, stdout: 'hello world\n' });
  });

  it('prints a line for each step with --ndjson, also when the actor is deployed', async () => {
    const { code, stdout } = await home.cli(['actors', 'deploy', folder, '--ndjson']);
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const types = lines.map(({ type }) => type);
    expect(types.filter((type) => type === 'build-step')).toHaveLength(5);
    expect(types.slice(-3)).toEqual(['image', 'actor', undefined]);
    expect(lines.at(-2)).toMatchObject({ name: 'hello', action: 'created' });
    expect(lines.at(-1)).toMatchObject({ created: true, image: `${repository}:dev` });
  });

  it('sends no file that .dockerignore excludes', async () => {
    writeFileSync(join(folder, 'Dockerfile.env'), 'FROM scratch\nCOPY .env /\n');
    writeFileSync(
      join(folder, 'actorctl.json'),
      JSON.stringify({ name: 'hello', image: `${repository}:env`, build: { dockerfile: 'Dockerfile.env' } }),
    );
    const { code, stderr, stdout } = await home.cli(['actors', 'build', folder, '--json']);
    expect({ code, stdout }).toEqual({ code: 10, stdout: '' });
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string; details: { log: string[] } } };
    expect(error.code).toBe('BUILD_FAILED');
    expect(error.message).toContain('.env');
    expect(error.details.log.join('\n')).toContain('COPY .env');
    writeFileSync(join(folder, 'actorctl.json'), JSON.stringify({ name: 'hello', image: `${repository}:dev` }));
  });

  it('passes build arguments and stops at the given stage', async () => {
    writeFileSync(
      join(folder, 'Dockerfile'),
      `FROM scratch AS first\nARG WHAT\nENV WHAT=$WHAT\nCOPY main.sh /\n${scratchDockerfile()}`,
    );
    made.add(`${repository}:first`);
    await home.json(
      'actors',
      'build',
      folder,
      '-t',
      `${repository}:first`,
      '--target',
      'first',
      '--build-arg',
      'WHAT=x=y',
    );
    const { Config } = await engine.getImage(`${repository}:first`).inspect();
    expect(Config.Env).toContain('WHAT=x=y');
    expect(Config.Cmd ?? []).toEqual([]);
  });

  it('exits with 2 for a missing folder, a folder without an actor, and an invalid image name', async () => {
    expect((await home.cli(['actors', 'build', join(home.folder, 'nowhere')])).code).toBe(2);
    expect((await home.cli(['actors', 'build', home.folder])).stderr).toContain('actorctl actors init');
    const bad = await home.cli(['actors', 'build', folder, '-t', 'Not An Image']);
    expect(bad.code).toBe(10);
    expect(bad.stderr).toContain('must be a container image reference');
  });

  it('says that the network is missing if a base image cannot be pulled, and what works without it', async () => {
    const offline = scratchActor(join(home.folder, 'offline'), '', { name: 'offline', image: `${repository}:offline` });
    writeFileSync(join(offline, 'Dockerfile'), 'FROM 127.0.0.1:1/team/base:2\nCOPY main.sh /\n');
    for (const command of ['build', 'deploy', 'check']) {
      const { code, stdout, stderr } = await home.cli(['actors', command, offline]);
      expect({ code, stdout }).toEqual({ code: 10, stdout: '' });
      expect(stderr).toMatch(/cannot pull the image 127\.0\.0\.1:1\/team\/base:2: .*connection refused/);
      expect(stderr).toMatch(
        /cannot reach the registry 127\.0\.0\.1:1\. .*use an image that the engine has.*docker load/,
      );
      expect(stderr).toMatch(/docker images$/m);
      expect(stderr).not.toContain('Dockerfile');
    }
    writeFileSync(
      join(offline, 'Dockerfile'),
      scratchDockerfile('RUN echo "curl: (6) Could not resolve host: a"; exit 6'),
    );
    const step = await home.cli(['actors', 'build', offline]);
    expect(step).toMatchObject({ code: 10, stderr: expect.stringMatching(/needs the network: run it again/) });
    expect(step.stderr).not.toContain('Dockerfile');
    const checked = await home.cli(['actors', 'check', '127.0.0.1:1/team/base:2']);
    expect(checked).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('fix: docker pull 127.0.0.1:1/team/base:2'),
    });
    expect(checked.stdout).toMatch(/^error +run: cannot pull the image 127\.0\.0\.1:1\/team\/base:2: .*docker load/m);
  });

  it('exits with 10 and the reason if there is no engine', async () => {
    const alone = inProcessHome({ DOCKER_HOST: 'unix:///nowhere/docker.sock' });
    try {
      await alone.up();
      const { code, stderr } = await alone.cli(['actors', 'build', folder]);
      expect(code).toBe(10);
      expect(stderr).toContain('/nowhere/docker.sock');
    } finally {
      await alone.remove();
    }
  });

  // Podman 4 finishes the step that it is in, see docs/engines.md.
  it.skipIf(testEngine === 'podman')('stops the build in the engine when interrupted', async () => {
    const label = `actorctl-test=${repository.slice(-12)}`;
    const [key, value] = label.split('=');
    const endless = scratchActor(
      join(home.folder, 'endless'),
      '',
      { image: `${repository}:endless` },
      `LABEL ${key}=${value}`,
      'RUN while :; do :; done',
    );
    const running = () => engine.listContainers({ filters: { label: [label] } });
    const building = interrupt(home, ['actors', 'build', endless, '--progress', 'plain'], /RUN while[\s\S]*Running in/);
    expect((await building).code).toBe(130);
    await expect.poll(running, { interval: 200 }).toEqual([]);
  });
});
