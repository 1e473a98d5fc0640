// Variables of actors that come from configs, with the built program against the built daemon.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

const SECRET = 'hunter2-hunter2';

let home: Home;
let image: string;

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
  const folder = join(home.folder, 'printing');
  mkdirSync(folder);
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', 'echo "$KEY|$PW|$AT|${#PW}"'] }));
  image = `file://${folder}`;
  await home.cli(['configs', 'create', 'api.key', '--secret', '-f', '-'], { input: SECRET });
  await home.json('configs', 'create', 'db', '--value', `{"password":"open-${SECRET}","n":1}`);
});
afterAll(() => home.remove());

const printed = async (actor: string) => (await home.cli(['run', actor, '-m', 'x'])).stdout;
const actorNamed = (name: string) => home.json<Record<string, unknown>>('actors', 'show', name);

describe('-e NAME=@config:CONFIG', () => {
  it('of create shares the config and gives each execution its value, masked in the log if it is secret', async () => {
    const options = ['-e', 'KEY=@config:api.key', '-e', 'PW=@config:db#password', '-e', 'AT=@@home'];
    const made = await home.cli(['actors', 'create', image, '--name', 'one', '--wait', ...options]);
    expect(made.stdout).toContain('config api.key, config db');
    expect(await printed('one')).toBe(`***|open-***|@home|${`open-${SECRET}`.length}\n`);
    expect(await actorNamed('one')).toMatchObject({
      default_environment: { AT: '@home' },
      config_environment: { KEY: { config: 'api.key' }, PW: { config: 'db', path: 'password' } },
    });
    const shown = (await home.cli(['actors', 'show', 'one'])).stdout;
    expect(shown).toContain('env KEY\tconfig api.key\n');
    expect(shown).toContain('env PW\tconfig db, password\n');
  });

  it('of update replaces a text of the same name, and a text replaces it', async () => {
    await home.json('actors', 'create', image, '--name', 'two', '-e', 'KEY=text', '-e', 'PW=kept');
    const changed = await home.json<Record<string, unknown>>('actors', 'update', 'two', '-e', 'KEY=@config:db#n');
    expect(changed).toMatchObject({
      default_environment: { PW: 'kept' },
      config_environment: { KEY: { config: 'db', path: 'n' } },
      changed: ['default_environment.KEY', 'config_environment.KEY', 'config db'],
    });
    expect(await printed('two')).toBe('1|kept||4\n');
    const back = await home.json('actors', 'update', 'two', '-e', 'KEY=again', '--unset', 'env:PW');
    expect(back).toMatchObject({ default_environment: { KEY: 'again' } });
    expect(back).not.toHaveProperty('config_environment');
    await home.json('actors', 'update', 'two', '-e', 'KEY=@config:db');
    expect(await home.json('actors', 'update', 'two', '--unset', 'env')).not.toHaveProperty('config_environment');
  });

  it.each([
    [['-e', 'X=@file'], 2, 'the value of X begins with @, but is not @config:CONFIG'],
    [['-e', 'X=@config:'], 2, 'write X=@@config:'],
    [['-e', 'X=@config:db#'], 2, 'is not @config:CONFIG or @config:CONFIG#PATH'],
    [['-e', 'X=@config:db#a..b'], 2, 'must look like db.password'],
    [['-e', 'X=1', '-e', 'X=@config:db'], 2, 'X is given both as a text and as a config'],
    [['-e', 'X=@config:nosuch'], 6, 'there is no config "nosuch"'],
    [['-e', 'MSG=@config:db'], 2, 'must not set MSG'],
    [['-e', 'NODE_OPTIONS=@config:db'], 2, '--env must not set NODE_OPTIONS: it decides which code the actor runs'],
  ])('with %j is refused', async (options, code, message) => {
    const failed = await home.cli(['actors', 'create', image, '--name', 'wrong', ...options]);
    expect(failed).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect((await home.cli(['actors', 'show', 'wrong'])).code).toBe(6);
  });

  it('fails the start by name when the config is deleted, and run says so', async () => {
    await home.json('configs', 'create', 'gone', '--value', '1');
    await home.json('actors', 'create', image, '--name', 'three', '-e', 'KEY=@config:gone', '--wait');
    await home.cli(['configs', 'delete', 'gone', '--yes']);
    const failed = await home.cli(['run', 'three', '-m', 'x', '--timeout', '3s']);
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toContain('the variable KEY needs the config "gone", which is not shared with this actor');
    await home.cli(['actors', 'delete', 'three', '--force', '--yes']);
  });
});
