// `actors` of the built program against the built daemon.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

let home: SharedHome;
let image: string;

const errorOf = (stderr: string) => (JSON.parse(stderr) as { error: Record<string, unknown> }).error;

beforeAll(async () => {
  home = await sharedHome();
  image = shellActor(home.folder);
});

afterAll(() => home.remove());

describe('actors create', () => {
  it('prints a sentence, with -q the id only, with --json the actor as the service returns it', async () => {
    const said = await home.cli(['actors', 'create', image, '--name', 'one']);
    expect(said.stdout).toMatch(/^Created actor one \(\w{13}\)\n$/);
    expect((await home.cli(['actors', 'create', image, '-q'])).stdout).toMatch(/^\w{13}\n$/);
    const made = await home.json(
      ...['actors', 'create', image, '--name', 'all', '--description', 'd', '--stateful', '-e', 'A=1', '-e', 'B=x=y'],
      ...[
        '--hint',
        'h1',
        '--hint',
        'h2',
        '--memory',
        '512m',
        '--cpus',
        '0.5',
        '--placement',
        'node.role==worker',
        '--time-limit',
        '90s',
        '--token',
      ],
    );
    expect(made).toMatchObject({
      name: 'all',
      description: 'd',
      image,
      stateless: false,
      default_environment: { A: '1', B: 'x=y' },
      hints: ['h1', 'h2'],
      mem_limit: '512m',
      max_cpus: 500_000_000,
      placement: ['node.role==worker'],
      max_run_time: 90,
      token: true,
    });
  });
  it('with --dialect legacy registers a program of the hosted platform', async () => {
    const made = await home.json('actors', 'create', image, '--name', 'older', '--dialect', 'legacy');
    expect(made['dialect']).toBe('legacy');
    expect((await home.cli(['actors', 'show', 'older'])).stdout).toMatch(/^dialect\tlegacy$/m);
    expect(await home.json('actors', 'show', 'one')).not.toHaveProperty('dialect');
    expect(await home.json('actors', 'update', 'older', '--description', 'd')).toMatchObject({ dialect: 'legacy' });
    const again = ['actors', 'create', image, '--name', 'older', '--if-exists', 'update'];
    expect(await home.json(...again, '--dialect', 'legacy')).toMatchObject({ dialect: 'legacy' });
    const refused = await home.cli([...again, '--dialect', 'modern']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('cannot change the dialect of older')]);
    expect((await home.cli(['actors', 'create', image, '--dialect', 'ancient'])).code).toBe(2);
  });
  it('with --wait waits until the actor is READY', async () => {
    expect(await home.json('actors', 'create', image, '--name', 'ready', '--wait')).toMatchObject({ status: 'READY' });
  });
  it('accepts a description file and a variables file, and flags take precedence over both', async () => {
    const document = join(home.folder, 'actor.json');
    const variables = join(home.folder, 'vars.env');
    writeFileSync(
      document,
      JSON.stringify({ image, name: 'doc', default_environment: { A: '1', B: '1', C: '1' }, max_workers: 2 }),
    );
    writeFileSync(variables, '# vars\nB=2\nC=2\n');
    expect(
      await home.json('actors', 'create', '-f', document, '--env-file', variables, '-e', 'C=3', '--workers', '3'),
    ).toMatchObject({
      name: 'doc',
      max_workers: 3,
      default_environment: { A: '1', B: '2', C: '3' },
    });
    const piped = await home.cli(['actors', 'create', '-f', '-', '-q'], { input: JSON.stringify({ image, id: 'x' }) });
    expect(piped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\w{13}\n$/) });
    const typo = await home.cli(['actors', 'create', '-f', '-', '--json'], {
      input: JSON.stringify({ image, stateles: false }),
    });
    expect([typo.code, errorOf(typo.stderr)['hint']]).toEqual([2, 'did you mean stateless?']);
  });
  it('sends a form with --form', async () => {
    expect(await home.json('actors', 'create', image, '--form', '--name', 'formed', '--stateful')).toMatchObject({
      name: 'formed',
      stateless: false,
    });
  });
  it.each([
    [[], 'the image is missing'],
    [['image', '--timeout', '5m'], '--timeout can only be used with --wait'],
    [['image', '-e', 'novalue'], 'NAME=VALUE'],
    [['image', '--form', '-e', 'A=1'], '--form'],
    [['image', '--cpus', '0'], '--cpus'],
    [['image', '--workers', '0'], '--workers'],
    [['image', '--time-limit', 'soon'], '--time-limit'],
    [['image', '--memory', 'lots'], '--memory must look like'],
    [['image', '--nope'], '--nope'],
  ])('with %j is a usage error', async (args, words) => {
    const { code, stdout, stderr } = await home.cli(['actors', 'create', ...args, '--json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(String(errorOf(stderr)['message'])).toContain(words);
  });
});

describe('actors update', () => {
  it('changes what the flags say, keeps the rest and lists the changed fields', async () => {
    const { id } = await home.json(
      'actors',
      'create',
      image,
      '--name',
      'up',
      '-e',
      'A=1',
      '-e',
      'B=1',
      '--hint',
      'h',
      '--memory',
      '1g',
    );
    expect(
      await home.json(
        'actors',
        'update',
        'up',
        '-e',
        'A=2',
        '--unset',
        'env:B',
        '--unset',
        'hints',
        '--description',
        'new',
      ),
    ).toMatchObject({
      id,
      name: 'up',
      description: 'new',
      default_environment: { A: '2' },
      hints: [],
      mem_limit: '1g',
      revision: 1,
      changed: ['default_environment.A', 'default_environment.B', 'hints', 'description'],
    });
    expect(await home.json('actors', 'update', 'up', '--force', '--wait')).toMatchObject({
      revision: 2,
      status: 'READY',
      mem_limit: '1g',
    });
    expect((await home.cli(['actors', 'update', 'up', '--memory', '2g'])).stdout).toBe(
      `Updated up (${String(id)}): mem_limit\n`,
    );
  });
  it('works for a user without roles, because it does not send defaults back', async () => {
    await home.cli(['users', 'create', 'plain', '--password-stdin', '--role', 'user'], { input: 'long enough\n' });
    const client = await home.json<Record<string, string>>('clients', 'create', 'other');
    const basic = { ACTORCTL_CLIENT_ID: client['client_id'], ACTORCTL_CLIENT_SECRET: client['client_secret'] };
    const grant = ['grant_type=password', 'scope=PRODUCTION', 'username=plain', 'password=long enough'].flatMap(
      (field) => ['-f', field],
    );
    const token = await home.cli(
      ['api', 'POST', 'token', '--auth', 'basic', '--form', ...grant, '--jq', '.access_token', '-r'],
      {
        env: basic,
      },
    );
    const as = (...args: string[]) => home.cli(args, { env: { ACTORCTL_TOKEN: token.stdout.trim() } });
    expect(await as('actors', 'create', 'busybox', '--name', 'mine')).toMatchObject({ code: 0 });
    expect(await as('actors', 'update', 'mine', '--description', 'x')).toMatchObject({ code: 0 });
    expect(await as('actors', 'create', image)).toMatchObject({ code: 5 });
    expect(await as('actors', 'show', 'up')).toMatchObject({ code: 6 });
  });
  it('without any change is a usage error, and of an unknown actor exits with 6', async () => {
    expect(await home.cli(['actors', 'update', 'up'])).toMatchObject({ code: 2 });
    expect(await home.cli(['actors', 'update', 'nope', '--force'])).toMatchObject({ code: 6 });
  });
});

describe('actors list, show and delete', () => {
  it('list supports every output format, filters and sorting', async () => {
    const all = await home.json<{ id: string; name: string }[]>('actors', 'list', '--all');
    expect((await home.cli(['actor', 'ls', '-o', 'id', '--all'])).stdout.trim().split('\n')).toEqual(
      all.map(({ id }) => id),
    );
    expect((await home.cli(['actors', 'list', '--filter', 'name=one', '-o', 'name'])).stdout).toBe('one\n');
    expect(
      (await home.cli(['actors', 'list', '--filter', 'name~=^(one|up)$', '--sort', '-name', '--template', '{{name}}']))
        .stdout,
    ).toBe('up\none\n');
    expect((await home.cli(['actors', 'list', '--jq', '.[] | select(.name == "up") | .image', '-r'])).stdout).toBe(
      `${image}\n`,
    );
    expect((await home.cli(['actors', 'list', '--filter', 'name=absent', '--json'])).stdout).toBe('[]\n');
    const [header, ...rows] = (await home.cli(['actors', 'list', '--all'])).stdout.trimEnd().split('\n');
    expect(header).toBe('NAME\tSTATUS\tIMAGE\tALIASES\tLAST RUN\tEXECS');
    expect(rows).toHaveLength(all.length);
    expect(await home.cli(['actors', 'list', '--fields', 'nope'])).toMatchObject({ code: 2, stdout: '' });
    const envelope = JSON.parse((await home.cli(['actors', 'list', '--envelope'])).stdout) as Record<string, unknown>;
    expect(envelope).toMatchObject({ status: 'success', version: expect.any(String), result: expect.any(Array) });
  });
  it('show finds an actor by name or id, but not by part of an id without a terminal', async () => {
    const { id } = await home.json<{ id: string }>('actors', 'show', 'one');
    expect(await home.json('actors', 'get', id)).toMatchObject({ name: 'one' });
    expect(await home.json('actors', 'show', `id:${id}`)).toMatchObject({ name: 'one' });
    expect(await home.cli(['actors', 'show', 'id:one'])).toMatchObject({ code: 6 });
    expect(await home.cli(['actors', 'show', id.slice(0, 10)])).toMatchObject({ code: 6 });
    expect(await home.cli(['actors', 'show', ''])).toMatchObject({ code: 2 });
  });
  it('show hides the values of variables without --env, and secret values always', async () => {
    await home.cli(['actors', 'create', image, '--name', 'vars', '-e', 'LOG=info', '-e', 'API_TOKEN=s3cret']);
    expect((await home.cli(['actors', 'show', 'vars'])).stdout).toMatch(/^variables\tLOG, API_TOKEN$/m);
    const { stdout } = await home.cli(['actors', 'show', 'vars', '--env']);
    expect(stdout).toMatch(/^env LOG\tinfo$/m);
    expect(stdout).not.toContain('s3cret');
  });
  it('show refuses a name that two actors have, with their ids', async () => {
    await home.cli(['actors', 'create', image, '--name', 'twice']);
    await home.cli(['actors', 'create', image, '--name', 'twice', '--if-exists', 'duplicate']);
    const { code, stderr } = await home.cli(['actors', 'show', 'twice', '--json']);
    expect({ code, message: errorOf(stderr)['message'] }).toEqual({ code: 2, message: '"twice" could be 2 actors' });
  });
  it('delete asks for confirmation, refuses a busy actor, and accepts several actors', async () => {
    const asked = await home.cli(['actors', 'delete', 'one']);
    expect({ code: asked.code, named: asked.stderr.includes('--yes') }).toEqual({ code: 3, named: true });
    await home.cli(['actors', 'create', image, '--name', 'busy', '--wait']);
    await home.cli(['send', 'busy', '-m', 'hang']);
    await home.json('executions', 'wait', 'busy@last', '--for', 'RUNNING');
    const refused = await home.cli(['actors', 'delete', 'busy', '-y', '--json']);
    expect(refused.code).toBe(7);
    expect(errorOf(refused.stderr)).toMatchObject({ code: 'ACTOR_BUSY', hint: expect.stringContaining('--force') });
    const ids = await home.json<{ id: string }[]>('actors', 'list', '--filter', 'name=busy', '--filter', 'name=one');
    const gone = await home.json<{ deleted: string[] }>('actors', 'delete', 'busy', 'one', '--force', '-y');
    expect(gone.deleted.sort()).toEqual(ids.map(({ id }) => id).sort());
    expect(await home.cli(['actors', 'delete', 'one', '-y'])).toMatchObject({ code: 6 });
  });
});
