// The built program's `actors deploy` and `actors dev` on a real engine: repeated deployment of a folder as an actor.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Home, inProcessHome, program } from '../../support/daemon/home.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';
import { dockerRequirement, testEngine } from '../../support/engine/docker.ts';
import { scratchActor } from '../../support/engine/scratch-actor.ts';
import { preloads } from '../../support/preloads/preloads.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const docker = await dockerRequirement();

interface Deployed {
  readonly actor_id: string;
  readonly created: boolean;
  readonly changed: readonly string[];
}

describeIf(docker, 'deploying a folder as an actor', () => {
  const engine = new Docker();
  const repository = `actorctl-test/${randomBytes(6).toString('hex')}`;
  let home: Home;
  let folder: string;
  let name: string;
  let number = 0;

  const project = (fields: Readonly<Record<string, unknown>> = {}) =>
    writeFileSync(
      join(folder, 'actorctl.json'),
      JSON.stringify({ name, alias: name, image: `${repository}:${name}`, ...fields }),
    );

  beforeAll(async () => {
    home = inProcessHome();
    await home.up();
  });
  beforeEach(() => {
    number += 1;
    name = `a${number}`;
    folder = scratchActor(join(home.folder, name), 'echo "one $MSG $X"\n');
    project();
  });
  afterAll(async () => {
    await home.remove();
    for (const { RepoTags } of await engine.listImages({ filters: { reference: [repository] } }))
      for (const tag of RepoTags ?? []) await engine.getImage(tag).remove({ force: true });
  });

  it('creates the actor with its alias, configs and permissions, and changes nothing the second time', async () => {
    await home.json('configs', 'create', `db-${name}`, '--value', '{"host":"a"}');
    writeFileSync(join(folder, '.env'), 'Y=from file\n');
    project({
      env: { X: 'x' },
      env_file: '.env',
      sender_variables: ['JOB_*'],
      configs: [`db-${name}`],
      permissions: { ABACO_WORLD: 'READ' },
      workers: 2,
    });
    const first = await home.json<Deployed>('actors', 'deploy', folder, '--wait');
    expect(first).toMatchObject({ created: true, status: 'READY' });
    expect(await home.json('actors', 'show', name)).toMatchObject({
      id: first.actor_id,
      default_environment: { X: 'x', Y: 'from file' },
      sender_variables: ['JOB_*'],
      max_workers: 2,
    });
    expect(await home.json('permissions', 'list', name)).toMatchObject({ ABACO_WORLD: 'READ' });
    expect(await home.json('configs', 'show', `db-${name}`)).toMatchObject({
      actors: first.actor_id,
      value: { host: 'a' },
    });
    expect((await home.cli(['run', name, '-m', 'hi'])).stdout).toBe('one hi x\n');
    expect(await home.json<Deployed>('actors', 'deploy', folder)).toMatchObject({
      actor_id: first.actor_id,
      created: false,
      changed: [],
    });
    expect((await home.cli(['actors', 'deploy', folder, '--check'])).code).toBe(0);
  });

  it('runs new content under the same image name, and keeps fields that the file does not mention', async () => {
    project({ env: { X: 'x', OLD: '1' } });
    const { actor_id: actor } = await home.json<Deployed>('actors', 'deploy', folder, '--wait');
    await home.json('actors', 'update', actor, '--description', 'by hand');
    writeFileSync(join(folder, 'main.sh'), 'echo "two $MSG $X"\n');
    project({ env: { X: 'y' } });
    const checked = await home.cli(['actors', 'deploy', folder, '--check']);
    expect(checked.code).toBe(12);
    expect(checked.stdout).toContain('default_environment.OLD');
    const again = await home.json<Deployed>('actors', 'deploy', folder, '--wait');
    expect(again).toMatchObject({ actor_id: actor, created: false });
    expect((await home.cli(['run', name, '-m', 'hi'])).stdout).toBe('two hi y\n');
    expect(await home.json('actors', 'show', actor)).toMatchObject({
      description: 'by hand',
      default_environment: { X: 'y' },
    });
  });

  it('changes nothing with --dry-run', async () => {
    const { stdout, code } = await home.cli(['actors', 'deploy', folder, '--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toContain(`would change: created, alias ${name}`);
    expect((await home.cli(['actors', 'show', name])).code).toBe(6);
  });

  it('moves the alias from its previous target', async () => {
    const { actor_id: actor } = await home.json<Deployed>('actors', 'deploy', folder);
    const other = await home.json<{ id: string }>('actors', 'create', `${repository}:${name}`, '--name', 'other');
    await home.json('aliases', 'set', name, other.id);
    project({ alias: `${name}-new` });
    expect(await home.json<Deployed>('actors', 'deploy', folder)).toMatchObject({
      actor_id: actor,
      changed: [`alias ${name}-new`],
    });
  });

  it('tags the image with the commit', async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
    expect((await home.cli(['actors', 'deploy', folder, '--tag', 'git'])).code).toBe(2);
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'first');
    const commit = git('rev-parse', '--short', 'HEAD');
    await home.json('actors', 'deploy', folder, '--tag', 'git');
    expect(await home.json('actors', 'show', name)).toMatchObject({ image: `${repository}:${commit}` });
  });

  it('refuses an unknown field and a change of stateless', async () => {
    project({ pemissions: {} });
    const typo = await home.cli(['actors', 'deploy', folder]);
    expect(typo.code).toBe(2);
    expect(typo.stderr).toContain('pemissions');
    project();
    await home.json('actors', 'deploy', folder);
    project({ stateless: false });
    const other = await home.cli(['actors', 'deploy', folder]);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('cannot change');
  });

  it('with dev runs the sample after every change, survives a failed build, and leaves no actor behind', async () => {
    mkdirSync(join(folder, 'tests'));
    writeFileSync(join(folder, 'tests/sample.json'), '"hi"');
    const child = spawn(process.execPath, [...preloads, program, 'actors', 'dev', folder, '--ndjson'], {
      env: home.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    let out = '';
    let err = '';
    child.stdout.on('data', (piece: Buffer) => (out += String(piece)));
    child.stderr.on('data', (piece: Buffer) => (err += String(piece)));
    const says = (text: string) => expect.poll(() => out).toContain(text);
    try {
      await says('"line":"one \\"hi\\" "');
      writeFileSync(join(folder, 'main.sh'), 'echo "two $MSG"\n');
      await says('"line":"two \\"hi\\""');
      const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8');
      writeFileSync(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY nowhere /\n');
      await says('"code":"BUILD_FAILED"');
      writeFileSync(join(folder, 'main.sh'), 'echo "three $MSG"\n');
      writeFileSync(join(folder, 'Dockerfile'), dockerfile);
      await says('"line":"three \\"hi\\""');
    } finally {
      child.kill('SIGINT');
    }
    expect({ code: await closed, err }).toEqual({ code: 0, err: '' });
    const kinds = new Set(
      out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    );
    expect([...kinds].sort()).toEqual(['build', 'deploy', 'error', 'execution', 'log']);
    const actors = await home.json<{ name: string }[]>('actors', 'list');
    expect(actors.filter((actor) => actor.name.includes('-dev-'))).toEqual([]);
  });

  // Podman 4 cannot interrupt a step of a build.
  it.skipIf(testEngine === 'podman').each([
    ['actors dev', (dir: string) => `actors dev "${dir}"`],
    ['dev', (dir: string) => `dev -f "${dir}"`],
  ])('the key q ends %s and a build in progress', async (_name, args) => {
    // The program in the middle of the build never exits on its own.
    const step = `RUN ["/bin/sh", "-c", "echo begun ${name}; while :; do sleep 1; done"]`;
    scratchActor(folder, '', { name, image: `${repository}:${name}` }, step);
    const commands = async () => (await engine.listContainers()).map(({ Command }) => Command).join();
    const building = async (): Promise<string> => {
      await expect.poll(commands).toContain(name);
      return 'q';
    };
    const { code, text } = await onTerminal(args(folder), home.env, [['building', building]]);
    expect({ code, text }).toMatchObject({ code: 0, text: expect.not.stringContaining('error') });
    await expect.poll(commands).not.toContain(name);
  });
});
