// The processContext of actors and executions as the built program shows them: aliases, links, configs, runs and
// messages.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

let home: SharedHome;
let image: string;
let id: string;
let other: string;

const lines = async (...args: string[]) => {
  const { code, stdout, stderr } = await home.cli(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd().split('\n');
};
const errorOf = (stderr: string) => (JSON.parse(stderr) as { error: Record<string, unknown> }).error;

beforeAll(async () => {
  home = await sharedHome();
  image = shellActor(home.folder);
  ({ id } = await home.json<{ id: string }>('actors', 'create', image, '--name', 'one', '-e', 'Log=x', '--wait'));
  const made = await home.json<{ id: string; aliases: string[] }>('actors', 'create', image, '--alias', 'alias:sender');
  other = made.id;
  expect(made.aliases).toEqual(['sender']);
  await home.json('aliases', 'create', 'uno', 'one');
  await home.json('actors', 'update', 'sender', '--link', 'uno');
  await home.json('configs', 'create', 'db', '--value', '12345678901234567890', '--share', 'uno');
  await home.json('run', 'uno', '-m', 'hello', '--env', 'KEY=secret');
});
afterAll(() => home.remove());

describe('an actor', () => {
  it('is listed with its aliases and its executions', async () => {
    const [header = '', ...rows] = await lines('actors', 'list');
    expect(header.split('\t').slice(3)).toEqual(['ALIASES', 'LAST RUN', 'EXECS']);
    expect(rows.map((row) => row.split('\t')[3])).toEqual(['uno', 'sender']);
    expect(rows.map((row) => row.split('\t').at(-1))).toEqual(['1', '0']);
    const { stdout } = await home.cli(['actors', 'list', '--envelope']);
    expect(JSON.parse(stdout)).toMatchObject({ message: 'Actors retrieved.', result: [{ id }, { id: other }] });
  });

  it('is shown with its links, configs, permissions and last executions', async () => {
    const shown = await lines('actors', 'show', 'one', '--env');
    expect(shown).toEqual(
      expect.arrayContaining([
        ...['aliases\tuno', 'env Log\tx', `linked from\t${other}`, 'configs\tdb', 'permission dev\tUPDATE'],
        expect.stringMatching(/^execution \w{13}\tcomplete$/),
      ]),
    );
    expect(await home.json('actors', 'show', 'uno')).toMatchObject({ id, aliases: ['uno'] });
  });

  it('is updated with --if-version only at that version', async () => {
    const update = ['actors', 'update', 'one', '--description', 'new', '--if-version', '1', '--json'];
    expect(JSON.parse((await home.cli(update)).stdout)).toMatchObject({ version: 2, changed: ['description'] });
    const { code, stdout, stderr } = await home.cli(update);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(errorOf(stderr)).toMatchObject({ code: 'STALE_VERSION', http_status: 409 });
  });
});

describe('an execution', () => {
  it('is shown with its message, its trigger and the names of its variables, without their values', async () => {
    const shown = await lines('executions', 'show', 'uno@last');
    expect(shown).toEqual(
      expect.arrayContaining(['trigger\tmessage', 'type\ttext', 'message\thello', 'variables\tKEY']),
    );
    expect(shown.join()).not.toContain('secret');
    const [, row = ''] = await lines('executions', 'list', 'uno');
    expect(row.split('\t').at(-1)).toBe('message');
  });

  it.each([
    ['--image=other', 'the image of its actor'],
    ['--same-state', 'the current state of its actor'],
  ])('cannot be rerun with %s, and the error suggests an alternative', async (flag, words) => {
    const { code, stderr } = await home.cli(['executions', 'rerun', '@last', flag, '--json']);
    expect(code).toBe(2);
    expect(errorOf(stderr)).toMatchObject({
      message: expect.stringContaining(words),
      hint: expect.stringContaining(id),
    });
  });
});

describe('in the folder of an actor', () => {
  const inFolder = async (files: Readonly<Record<string, string>>, ...args: string[]) => {
    const folder = mkdtempSync(join(home.folder, 'folder-'));
    mkdirSync(join(folder, '.actorctl'));
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    return home.cli(args, { cwd: folder });
  };

  it('the actor argument defaults to .actorctl/actor, or to the alias or name in actorctl.json', async () => {
    const cases: readonly Record<string, string>[] = [
      { '.actorctl/actor': 'one\n' },
      { 'actorctl.json': '{"alias":"uno","name":"other"}' },
      { 'actorctl.json': '{"name":"one"}' },
      { 'actorctl.json': '{"name":"other"}', '.actorctl/actor': id },
    ];
    for (const files of cases) {
      expect((await inFolder(files, 'actors', 'show', '-q')).stdout).toBe(`${id}\n`);
    }
    expect(await inFolder({ '.actorctl/actor': 'uno' }, 'run', '-m', 'here', '-q')).toMatchObject({ code: 0 });
  });

  it('an empty name is refused, and without such a file the actor is required', async () => {
    const empty = await inFolder({ '.actorctl/actor': 'one' }, 'actors', 'show', '', '--json');
    expect([empty.code, errorOf(empty.stderr)['message']]).toEqual([2, 'the name of the actor must not be empty']);
    const none = await inFolder({}, 'messages', 'count', '--json');
    expect([none.code, errorOf(none.stderr)['message']]).toEqual([2, 'missing required argument "actor"']);
    const broken = await inFolder({ 'actorctl.json': '{' }, 'messages', 'count', '--json');
    expect([broken.code, errorOf(broken.stderr)['code']]).toEqual([2, 'USAGE']);
    const verb = await home.cli(['configs', 'create', '--json']);
    expect(errorOf(verb.stderr)['hint']).toBe('actorctl configs create <name>');
  });
});

describe('a config that the caller may only read', () => {
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    const password = { input: 'long enough\n' };
    await home.cli(['users', 'create', 'bob', '--password-stdin'], password);
    const login = ['--username', `${home.tenant}/bob`, '--password-stdin'];
    const made = await home.cli(['clients', 'create', 'b', ...login, '--json'], password);
    const client = JSON.parse(made.stdout) as Record<string, string>;
    env = { ACTORCTL_CLIENT_ID: client['client_id'], ACTORCTL_CLIENT_SECRET: client['client_secret'] };
    await lines('permissions', 'grant', 'config:db', 'bob', 'READ');
  });
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await home.cli([...args, '--json'], { env });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    return errorOf(stderr);
  };
  const create = ['actors', 'create', 'busybox', '--name', 'mine', '--config', 'db'];

  it('fails a command, and the error lists the changes made before', async () => {
    const created = await refused(...create);
    expect(created['message']).toMatch(/^created actor mine \(\w+\), then: /);
    expect(created['details']).toMatchObject({ actor_id: expect.any(String), created: true, changed: [] });
    const kept = await refused(...create, '--if-exists', 'keep', '--alias', 'bobs');
    expect(kept['message']).toMatch(/^changed actor mine \(\w+\): alias bobs, then: /);
    const updated = await refused(...create, '--if-exists', 'update', '--description', 'a');
    expect(updated['message']).toMatch(/^changed actor mine \(\w+\): description, then: /);
    const renewed = await refused('actors', 'update', 'mine', '--force', '--config', 'db');
    expect(renewed['message']).toMatch(/^changed actor mine \(\w+\): new revision, then: /);
    expect(renewed['details']).toMatchObject({ created: false, changed: ['new revision'] });
    const folder = mkdtempSync(join(home.folder, 'deploy-'));
    const document = { name: 'mine', image: 'busybox', description: 'b', configs: ['db'] };
    writeFileSync(join(folder, 'actorctl.json'), JSON.stringify(document));
    const deployed = await refused('actors', 'deploy', folder);
    expect(deployed['message']).toMatch(/^changed actor mine \(\w+\): description, then: /);
  });

  it('is the only subject of the error if nothing was changed before', async () => {
    const { message } = await refused(...create, '--if-exists', 'keep');
    expect(message).not.toContain('then: ');
  });
});

describe('a number that exceeds a double', () => {
  it('is printed unchanged by every command that prints a config as JSON', async () => {
    for (const args of [['show', 'db'], ['list'], ['share', 'db', 'sender']]) {
      expect((await home.cli(['configs', ...args, '--json'])).stdout).toContain('"value": 12345678901234567890,');
    }
  });
  it('is printed unchanged by every command that prints an actor or a message as data', async () => {
    const big = await home.json<{ id: string }>('actors', 'create', image, '--stateful', '--name', 'big', '--wait');
    const sent = await home.cli([
      'api',
      'POST',
      `actors/${big.id}/state`,
      '-F',
      'n=12345678901234567890',
      '-F',
      'd=1.0',
    ]);
    expect(sent).toMatchObject({ code: 0 });
    for (const [args, printed] of [
      [['actors', 'show', 'big', '--jq', '.state'], '{"n":12345678901234567890,"d":1.0}'],
      [['actors', 'list', '--filter', 'state.n=12345678901234567890', '--jq', '.[].state.n'], '12345678901234567890'],
      [['search', 'actors', '--jq', '.[].state.d'], '1.0'],
      [['api', `actors/${big.id}`, '--jq', '.result.state.n'], '12345678901234567890'],
      [['send', 'big', '-m', '{"n":9.90}', '--jq', '.msg.n'], '9.90'],
    ] as const)
      expect((await home.cli([...args, '-o', 'ndjson'])).stdout.split('\n')).toContain(printed);
  });
});
