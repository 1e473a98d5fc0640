// `configs` of the built program against the built daemon.
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { startProcess } from '../../support/daemon/run-program.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

const SECRET = 'hunter2-hunter2-hunter2';

let home: Home;
let actor: string;

const errorOf = (stderr: string) => (JSON.parse(stderr) as { error: Record<string, unknown> }).error;

/** Returns the value of `_actor_configs` in an execution of the actor. */
const injected = async (): Promise<string> => (await home.cli(['run', actor, '-m', 'configs'])).stdout;

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
  const made = await home.json<{ id: string }>(
    'actors',
    'create',
    shellActor(home.folder),
    '--name',
    'wc',
    '--no-mask',
    '--wait',
  );
  actor = made.id;
});
afterAll(() => home.remove());

describe('configs', () => {
  it('create accepts flags, a file and stdin, and a value that is not JSON is a text', async () => {
    expect((await home.cli(['configs', 'create', 'db', '--set', 'host=h', '--set', 'port=5432'])).stdout).toBe(
      'Created config db, not shared with an actor\n',
    );
    const made = await home.json('configs', 'create', 'n', '--value', '123', '--share', 'wc');
    expect(made).toMatchObject({ value: 123, actors: actor, is_secret: false });
    expect(await home.json('configs', 'create', 't', '--value', '123', '--type', 'text')).toMatchObject({
      value: '123',
    });
    const piped = await home.cli(['configs', 'create', 'pw', '--secret', '-f', '-', '--share', actor, '--json'], {
      input: `${SECRET}\n`,
    });
    expect(piped).toMatchObject({ code: 0, stderr: '' });
    expect(piped.stdout).not.toContain(SECRET);
    expect(await home.json('configs', 'show', 'db')).toMatchObject({ value: { host: 'h', port: 5432 } });
    expect(JSON.parse(await injected())).toEqual({ n: 123, pw: SECRET });
  });
  it.each([
    [['configs', 'create', 'x'], 2, 'value is missing'],
    [['configs', 'create', 'x', '--value', '1', '--set', 'a=1'], 2, 'cannot be used together'],
    [['configs', 'create', 'x', '--value', '{', '--type', 'json'], 2, 'not JSON'],
    [['configs', 'create', 'x', '--value', '1', '--share', 'nobody'], 6, 'nobody'],
    [['configs', 'create', 'db', '--value', '1'], 7, 'already exists'],
    [['configs', 'create', 'a b', '--value', '1'], 2, 'name'],
    [['configs', 'show', 'nosuch'], 6, 'no config "nosuch"'],
    [['configs', 'show', 'pw', '--reveal'], 3, 'Show the secret'],
    [['configs', 'set', 'n', 'a=1'], 2, 'not an object'],
    [['configs', 'unshare', 'db', 'wc'], 6, 'not shared'],
    [['configs', 'delete', 'n'], 3, 'will lose it'],
    [['configs', 'export', '--with-secrets'], 2, 'a file that only you can read'],
    [['configs', 'update', 'pw', '--no-secret'], 3, 'is a secret'],
    [['configs', 'update', 'pw'], 2, 'nothing to update'],
    [['configs', 'update', 'n', '--set', 'a=1'], 2, 'not an object'],
    [['configs', 'update', 'db', '--value', '1', '--if-revision', '99'], 7, 'revision'],
  ])('%j exits with %i', async (args, code, words) => {
    const ended = await home.cli([...args, '--json']);
    expect([ended.code, ended.stdout]).toEqual([code, '']);
    expect(String(errorOf(ended.stderr)['message'])).toContain(words);
  });
  it.each([
    ['create with an empty stdin', ['create', 'empty', '-f', '-'], ''],
    ['create with a line end alone', ['create', 'empty', '-f', '-', '--secret'], '\r\n'],
    ['create with an empty text', ['create', 'empty', '-f', '-', '--type', 'text'], '\ufeff'],
    ['update with an empty stdin', ['update', 'db', '-f', '-'], ''],
  ])('%s is refused and stores nothing', async (_title, args, input) => {
    const before = (await home.cli(['configs', 'list', '--json'])).stdout;
    const ended = await home.cli(['configs', ...args], { input });
    expect(ended).toEqual({
      code: 2,
      stdout: '',
      stderr: "error: stdin is empty\nhint: to store an empty text, use --value ''\n",
    });
    expect((await home.cli(['configs', 'list', '--json'])).stdout).toBe(before);
  });
  it('create and update store an empty text that --value gives', async () => {
    expect(await home.json('configs', 'create', 'blank', '--value', '')).toMatchObject({ value: '' });
    expect(await home.json('configs', 'update', 'blank', '--value', '')).toMatchObject({ value: '' });
    await home.cli(['configs', 'delete', 'blank', '-y']);
  });
  it('show masks a secret, and prints it with --reveal --yes', async () => {
    expect((await home.cli(['configs', 'show', 'pw'])).stdout).toMatch(/value\s+\*\*\*/);
    expect((await home.json('configs', 'show', 'pw'))['value']).toMatch(/^sealed:v1:/);
    expect((await home.cli(['configs', 'show', 'pw', '--reveal', '--yes', '--jq', '.value', '-r'])).stdout).toBe(
      `${SECRET}\n`,
    );
  });
  it('create warns about a secret on the command line', async () => {
    const ended = await home.cli(['configs', 'create', 'argv', '--secret', '--set', 'a=1']);
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('warning: ') });
  });
  it('set changes members and keeps the others unchanged, and does not print the values of a secret', async () => {
    const big = '{"id":12345678901234567890,"port":1}';
    expect((await home.cli(['configs', 'create', 'big', '-f', '-'], { input: big })).code).toBe(0);
    expect((await home.cli(['configs', 'set', 'big', 'port=2', 'user=ana'])).stdout).toBe(
      'big.port: 1 -> 2\nbig.user: unset -> "ana"\n',
    );
    expect((await home.cli(['configs', 'set', 'big', 'port=2'])).stdout).toContain('nothing changed');
    expect(await home.cli(['configs', 'set', 'argv', 'a=2'])).toEqual({
      code: 0,
      stdout: 'argv.a: *** -> ***\n',
      stderr: expect.stringMatching(/^warning: .* on the command line.*: actorctl configs update argv -f -\n$/),
    });
    expect(await home.json('configs', 'show', 'argv', '--reveal', '--yes')).toMatchObject({ value: { a: 2 } });
    expect((await home.cli(['configs', 'export', 'big'])).stdout).toContain(
      '"value":{"id":12345678901234567890,"port":2,"user":"ana"}',
    );
  });
  it('share and unshare keep the value, even of a secret', async () => {
    expect((await home.cli(['configs', 'share', 'argv', 'wc'])).stdout).toBe(`argv: +${actor}\n`);
    expect((await home.cli(['configs', 'share', 'argv', 'wc'])).stdout).toContain('nothing changed');
    expect(JSON.parse(await injected())).toMatchObject({ argv: { a: 2 } });
    expect((await home.cli(['configs', 'unshare', 'argv', 'wc'])).stdout).toBe(`argv: -${actor}\n`);
    expect(JSON.parse(await injected())).not.toHaveProperty('argv');
  });
  it('share keeps an alias as an alias in the list', async () => {
    expect((await home.cli(['aliases', 'create', 'front', actor])).code).toBe(0);
    expect((await home.cli(['configs', 'share', 'db', 'front'])).stdout).toBe('db: +front\n');
    expect(JSON.parse(await injected())).toMatchObject({ db: { host: 'h' } });
  });
  it('share keeps an alias that is equal to the name of its actor, so that the config follows it', async () => {
    const command = shellActor(home.folder);
    const create = ['actors', 'create', command, '--name', 'same', '--wait'] as const;
    const { id: old } = await home.json<{ id: string }>(...create, '--alias', 'same');
    expect((await home.cli(['configs', 'create', 'follows', '--value', '1'])).code).toBe(0);
    expect((await home.cli(['configs', 'share', 'follows', 'same'])).stdout).toBe('follows: +same\n');
    const { id: fresh } = await home.json<{ id: string }>('actors', 'create', command, '--name', 'next', '--wait');
    expect((await home.cli(['aliases', 'set', 'same', fresh, '--yes'])).code).toBe(0);
    const configsOf = async (id: string) => (await home.cli(['run', id, '-m', 'configs'])).stdout;
    expect([JSON.parse(await configsOf(fresh)), JSON.parse(await configsOf(old))]).toEqual([{ follows: 1 }, {}]);
    // A list with the id of the actor loses it by the alias too.
    await home.json('configs', 'unshare', 'follows', 'same');
    await home.json('configs', 'share', 'follows', fresh);
    expect((await home.cli(['configs', 'unshare', 'follows', 'same'])).stdout).toBe(`follows: -${fresh}\n`);
  });
  it('update changes the value and keeps the actors, and the next execution gets it', async () => {
    const said = await home.cli(['configs', 'update', 'n', '--value', '[1]']);
    expect(said.stdout).toBe(`Updated config n: value; shared with ${actor}\n`);
    expect(JSON.parse(await injected())).toMatchObject({ n: [1] });
    const more = await home.json('configs', 'update', 'n', '--share', 'front');
    expect(more).toMatchObject({ value: [1], actors: `${actor},front`, changed: ['actors'] });
  });
  it('update keeps a secret encrypted, with and without a new value', async () => {
    const piped = await home.cli(['configs', 'update', 'pw', '-f', '-'], { input: `${SECRET}\n` });
    expect(piped.stdout).toBe(`Updated config pw (secret): value; shared with ${actor}\n`);
    const shared = await home.json('configs', 'update', 'pw', '--share', 'front');
    expect(shared).toMatchObject({ is_secret: true, actors: `${actor},front` });
    expect(JSON.parse(await injected())).toMatchObject({ pw: SECRET });
  });
  it('update makes a secret public only with --no-secret, and keeps its value', async () => {
    expect((await home.cli(['configs', 'create', 'turn', '--set', 'a=1', '--set', 'b=2'])).code).toBe(0);
    const sealed = await home.json('configs', 'update', 'turn', '--secret');
    expect(sealed).toMatchObject({ is_secret: true, value: expect.stringMatching(/^sealed:v1:/) });
    const member = await home.cli(['configs', 'update', 'turn', '--set', 'a=3']);
    expect(member).toMatchObject({ code: 0, stderr: expect.stringContaining('warning: ') });
    const open = await home.json('configs', 'update', 'turn', '--no-secret', '--yes');
    expect(open).toMatchObject({ is_secret: false, value: { a: 3, b: 2 }, changed: ['is_secret'] });
  });
  it('update without a change writes no revision', async () => {
    const { revision } = await home.json<{ revision: number }>('configs', 'show', 'turn');
    expect((await home.cli(['configs', 'update', 'turn', '--no-secret'])).stdout).toContain('nothing changed');
    expect(await home.json('configs', 'show', 'turn')).toMatchObject({ revision });
  });
  it('R130 rotate-key seals the secrets with a new key, and they work after a restart', async () => {
    const sealed = (await home.json('configs', 'show', 'pw'))['value'];
    expect(await home.json('configs', 'rotate-key')).toEqual({ resealed: 2 });
    expect((await home.json('configs', 'show', 'pw'))['value']).not.toBe(sealed);
    await home.kill();
    expect((await home.cli(['up', '--port', 'auto'])).code).toBe(0);
    expect(JSON.parse(await injected())).toMatchObject({ pw: SECRET });
  });
  it('export omits secrets, or writes them to a private file', async () => {
    const plain = await home.cli(['configs', 'export']);
    expect(plain.stdout).not.toContain(SECRET);
    expect(plain.stderr).toContain('pw');
    const file = join(home.folder, 'configs.json');
    expect((await home.cli(['configs', 'export', '--with-secrets', '--to', file, '--yes'])).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { configs } = JSON.parse(readFileSync(file, 'utf8')) as { configs: { name: string; value: unknown }[] };
    expect(configs.find(({ name }) => name === 'pw')?.value).toBe(SECRET);
  });
  it('export reads any number of configs at once without a warning of Node', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `many-${index}`);
    for (const name of names) await home.json('configs', 'create', name, '--value', '1');
    const { ended } = startProcess(['configs', 'export', ...names], { env: home.env });
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });
  it('delete lists the actors that lose the config', async () => {
    const ended = await home.cli(['configs', 'delete', 'n', 'argv', '--yes', '--json']);
    expect(JSON.parse(ended.stdout)).toEqual({ deleted: ['n', 'argv'], actors: [actor, 'front'] });
  });
  it('fail only for secrets if the key is lost, until these secrets are deleted', async () => {
    await home.cli(['down']);
    const key = join(home.folder, 'data', 'default', 'config-key.json');
    rmSync(key);
    expect((await home.cli(['up', '--port', 'auto'])).code).toBe(0);
    const refused = await home.cli(['configs', 'create', 'new', '--secret', '-f', '-', '--json'], { input: 'x' });
    expect(String(errorOf(refused.stderr)['message'])).toContain('config-key.json is missing');
    expect((await home.cli(['configs', 'create', 'open', '--value', '1'])).code).toBe(0);
    expect(existsSync(key)).toBe(false);
    expect((await home.cli(['configs', 'delete', 'pw', '--yes'])).code).toBe(0);
    await home.cli(['down']);
    expect((await home.cli(['up', '--port', 'auto'])).code).toBe(0);
    expect((await home.cli(['configs', 'create', 'new', '--secret', '-f', '-'], { input: 'x' })).code).toBe(0);
  });
});
