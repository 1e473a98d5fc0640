// The built program's `actors init`: the folders that it creates, and that the created actors run.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;
beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
});
afterAll(() => home.remove());

const document = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'actorctl.json'), 'utf8')) as Record<string, unknown>;

describe('actors init', () => {
  it.each(['python', 'node', 'bash', 'go', 'ts'])(
    'creates a folder of the template %s with all its parts',
    async (template) => {
      const folder = join(home.folder, `all-${template}`);
      const made = await home.json<{ files: string[] }>('actors', 'init', folder, '--template', template);
      expect(made).toMatchObject({ dir: folder, template });
      for (const name of [
        'actorctl.json',
        'Dockerfile',
        '.dockerignore',
        'message.schema.json',
        'tests/sample.json',
        'README.md',
      ])
        expect(made.files).toContain(name);
      for (const name of made.files) expect(existsSync(join(folder, name))).toBe(true);
      expect(document(folder)).toMatchObject({
        name: `all-${template}`,
        alias: `all-${template}`,
        image: `all-${template}:dev`,
      });
    },
  );

  it.each(['python', 'node', 'bash'])(
    'creates an actor of the template %s that processes its sample message unchanged',
    async (template) => {
      const folder = join(home.folder, `plain-${template}`);
      await home.json('actors', 'init', folder, '--template', template);
      await home.json('actors', 'create', `file://${folder}`, '--name', `plain-${template}`, '--wait');
      const sample = join(folder, 'tests/sample.json');
      const { code, stdout } = await home.cli(['run', `plain-${template}`, '-f', sample]);
      expect(code).toBe(0);
      expect(stdout).toContain('hello');
      const long = join(home.folder, 'long.txt');
      writeFileSync(long, `${'x'.repeat(200_000)}end`);
      expect((await home.cli(['run', `plain-${template}`, '-f', long])).stdout).toContain('xend');
    },
  );

  it.each([
    ['python', 'python3', 'main.py', 'MSG_URL'],
    ['node', process.execPath, 'main.mjs', '_svc_binary_data_URL'],
    ['bash', 'sh', 'main.sh', 'MSG_URL'],
  ])(
    'creates an actor of the template %s that downloads a very long message on a swarm',
    async (template, command, file, variable) => {
      const server = createServer((_, response) => response.end(`${'x'.repeat(600_000)}end`));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as { port: number };
      const folder = join(home.folder, `fetch-${template}`);
      await home.json('actors', 'init', folder, '--template', template);
      const bin = join(home.folder, 'bin');
      mkdirSync(bin, { recursive: true });
      // The image of the shell actor is a busybox.
      if (!existsSync(join(bin, 'wget'))) symlinkSync('/bin/busybox', join(bin, 'wget'));
      const { stdout } = await promisify(execFile)(command, [join(folder, file)], {
        env: { PATH: `${bin}:${process.env['PATH']}`, [variable]: `http://127.0.0.1:${port}/` },
        maxBuffer: 2_000_000,
      });
      server.close();
      expect(stdout).toContain('xend');
    },
  );

  it.each(['python', 'node', 'bash'])(
    'creates a stateful actor of the template %s that counts its messages',
    async (template) => {
      const folder = join(home.folder, `state-${template}`);
      await home.json('actors', 'init', folder, '--template', template, '--stateful');
      expect(document(folder)['stateless']).toBe(false);
      await home.json('actors', 'create', `file://${folder}`, '--name', `state-${template}`, '--stateful', '--wait');
      for (const count of [1, 2, 3]) {
        const { code, stdout, stderr } = await home.cli(['run', `state-${template}`, '-m', 'hi']);
        expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout).toContain(String(count));
      }
    },
  );

  it.each([
    ['python', ['--stateful']],
    ['bash', ['--stateful']],
    ['node', []],
  ])('writes a README for the template %s %j whose lines for a process work as written', async (template, flags) => {
    const name = `readme-${template}`;
    const folder = join(home.folder, name);
    await home.json('actors', 'init', folder, '--template', template, ...flags);
    const lines = readFileSync(join(folder, 'README.md'), 'utf8').match(/(?<=^ {4}actorctl ).*$/gm) ?? [];
    const [run, create] = [
      lines.find((line) => line.startsWith('run ')),
      lines.find((line) => line === 'actors deploy --process'),
    ];
    for (const line of [create, run, run]) {
      const { code, stderr } = await home.cli(line?.split(' ') ?? [], { cwd: folder });
      expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
    }
    const actor = await home.json('actors', 'show', `alias:${name}`);
    expect(actor).toMatchObject({ name, image: `file://${folder}`, stateless: flags.length === 0 });
    if (flags.length > 0) expect(JSON.stringify(await home.json('state', 'get', name))).toContain('2');
  });

  it.each(['python', 'node', 'bash'])(
    'with --process writes an actor of the template %s that check and deploy run without an engine',
    async (template) => {
      const name = `process-${template}`;
      const folder = join(home.folder, name);
      const made = await home.json<{ files: string[] }>('actors', 'init', folder, '--template', template, '--process');
      expect(made.files).not.toContain('Dockerfile');
      expect(document(folder)).toMatchObject({ image: 'file:.' });
      const at = { cwd: folder };
      expect(await home.cli(['actors', 'check'], at)).toMatchObject({ code: 0 });
      expect(await home.cli(['actors', 'deploy', '--wait'], at)).toMatchObject({ code: 0 });
      expect((await home.cli(['run', '-f', 'tests/sample.json'], at)).stdout).toContain('hello');
    },
  );

  it.each([
    [['--template', 'go', '--process'], 'an actor of the template go needs a container'],
    [['--from-abaco', '--process'], 'cannot be used together'],
  ])('refuses %j', async (flags, message) => {
    const folder = join(home.folder, 'refused');
    const refused = await home.cli(['actors', 'init', folder, ...flags]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect(existsSync(folder)).toBe(false);
  });

  it('exits with 7 for a folder that is not empty, and replaces only its own files with --force', async () => {
    const folder = join(home.folder, 'full');
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const refused = await home.cli(['actors', 'init', folder]);
    expect(refused.code).toBe(7);
    expect(refused.stderr).toContain('notes.txt');
    expect(readdirSync(folder)).toEqual(['notes.txt']);
    expect((await home.cli(['actors', 'init', folder, '--force'])).code).toBe(0);
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
  });

  it('lists the templates', async () => {
    const rows = await home.json<{ name: string }[]>('actors', 'init', '--list');
    expect(rows.map(({ name }) => name)).toEqual(['python', 'node', 'bash', 'go', 'ts']);
  });

  it('refuses a name that is not a valid alias, and an unknown template', async () => {
    expect((await home.cli(['actors', 'init', join(home.folder, 'x'), '--name', '../x'])).code).toBe(2);
    expect((await home.cli(['actors', 'init', join(home.folder, 'x'), '--template', 'cobol'])).code).toBe(2);
    expect(existsSync(join(home.folder, 'x'))).toBe(false);
  });

  it('converts reactor.rc and secrets.json, and makes the secrets readable for their owner only', async () => {
    const folder = join(home.folder, 'old');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'reactor.rc'),
      '# mandatory\nREACTOR_NAME=hello\nREACTOR_DESCRIPTION="says hello"\nREACTOR_STATEFUL=1\nDOCKER_HUB_ORG=tacc\nDOCKER_IMAGE_TAG=hello\nDOCKER_IMAGE_VERSION=0.1\nREACTOR_FOO=1\n',
    );
    writeFileSync(join(folder, 'secrets.json'), '{"TOKEN": "s3cret", "N": 3}');
    writeFileSync(join(folder, 'Dockerfile'), 'FROM scratch\n');
    const { code, stderr } = await home.cli(['actors', 'init', folder, '--from-abaco']);
    expect(code).toBe(0);
    expect(stderr).toContain('REACTOR_FOO');
    expect(document(folder)).toEqual({
      name: 'hello',
      description: 'says hello',
      image: 'tacc/hello:0.1',
      stateless: false,
      dialect: 'legacy',
      env_file: '.env',
    });
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('TOKEN=s3cret\nN=3\n');
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
  });

  it('converts project.ini', async () => {
    const folder = join(home.folder, 'ini');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'project.ini'),
      '[actor]\nname = count\nworkers = 2\n[docker]\nnamespace = tacc\nrepo = count\ntag = 1.2\ndockerfile = Dockerfile.x\n',
    );
    expect((await home.cli(['actors', 'init', folder, '--from-abaco'])).code).toBe(0);
    expect(document(folder)).toEqual({
      name: 'count',
      image: 'tacc/count:1.2',
      workers: 2,
      dialect: 'legacy',
      build: { dockerfile: 'Dockerfile.x' },
    });
  });
});
