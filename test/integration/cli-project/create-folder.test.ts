// `actors create FOLDER`: the fields of its actorctl.json, and folders that cannot run, against the built daemon.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ProjectHome, projectHome, type TestProject } from '../../support/commands/project-home.ts';
import type { SharedHome } from '../../support/commands/shared-home.ts';

let projects: ProjectHome;
let home: SharedHome;
let own: TestProject;

beforeAll(async () => {
  projects = await projectHome();
  ({ home } = projects);
});
beforeEach(() => {
  own = projects.begin();
});
afterAll(() => home.remove());

const show = (name: string) => home.json<Record<string, unknown>>('actors', 'show', name);

/** Writes the folder `actor` with a program and with this actorctl.json. */
const writeFolder = (document: object): void => {
  mkdirSync(join(own.folder, 'actor'));
  own.write('{"command": ["sh", "main.sh"]}', 'actor/actor.json');
  own.write('echo "$MSG"\n', 'actor/main.sh');
  own.write(JSON.stringify(document), 'actor/actorctl.json');
};

describe('actors create of a folder with actorctl.json', () => {
  it('creates what actors deploy creates: fields, alias, configs and permissions', async () => {
    const name = `both-${own.name}`;
    await home.json('configs', 'create', name, '--value', '1');
    const document = {
      name,
      alias: name,
      image: 'file:.',
      stateless: false,
      state: { n: 1 },
      env: { A: '1', B: '2' },
      hints: ['x'],
      time_limit: 60,
      cron: '0 7 * * *',
      configs: [name],
      permissions: { ABACO_WORLD: 'READ' },
      message_schema: 'message.schema.json',
    };
    writeFolder(document);
    const facts = async () => {
      const { id, updated, created, create_time, last_update_time, _links, ...actor } = await show(`alias:${name}`);
      const { actors } = await home.json<{ actors: string }>('configs', 'show', name);
      const permissions = await home.json('permissions', 'list', name);
      return { ...actor, permissions, shared: actors === id };
    };
    const created = await own.run(['actors', 'create', './actor']);
    expect(created).toMatchObject({
      code: 0,
      stderr: 'using actor/actorctl.json; flags take precedence\n',
      stdout: expect.stringMatching(
        new RegExp(`^Created actor ${name} \\(\\w+\\), alias ${name}, config ${name}, permission ABACO_WORLD READ\n$`),
      ),
    });
    const asCreated = await facts();
    expect(asCreated).toMatchObject({ name, stateless: false, state: { n: 1 }, hints: ['x'], shared: true });
    await home.json('actors', 'delete', name, '--yes', '--force');
    expect(await own.run(['actors', 'deploy', './actor'])).toMatchObject({ code: 0 });
    const ready = async () => (await show(name))['status'];
    await expect.poll(ready).toBe('READY');
    expect({ ...(await facts()), status: '' }).toEqual({ ...asCreated, status: '' });
  });

  it('gives precedence to flags, merges variables, and takes the name of the folder without a name', async () => {
    writeFolder({ env: { A: '1', B: '2' }, hints: ['x'], description: 'from the file' });
    const args = ['-e', 'B=3', '-e', 'C=4', '--hint', 'y', '--alias', `flag-${own.name}`];
    const made = await own.run(['actors', 'create', `file://${join(own.folder, 'actor')}`, ...args, '--json']);
    expect(JSON.parse(made.stdout)).toMatchObject({
      name: 'actor',
      default_environment: { A: '1', B: '3', C: '4' },
      hints: ['y'],
      description: 'from the file',
      aliases: [`flag-${own.name}`],
    });
  });

  it('with --if-exists update keeps the state that the actor has', async () => {
    const name = `kept-${own.name}`;
    writeFolder({ name, stateless: false, state: { n: 1 } });
    await own.run(['actors', 'create', './actor']);
    await home.json('state', 'set', name, '--value', '{"n":2}');
    own.write(JSON.stringify({ name, stateless: false, state: { n: 1 }, hints: ['new'] }), 'actor/actorctl.json');
    const updated = await own.run(['actors', 'create', './actor', '--if-exists', 'update']);
    expect(updated).toMatchObject({ code: 0, stdout: expect.stringContaining('hints') });
    expect(await show(name)).toMatchObject({ state: { n: 2 }, hints: ['new'] });
  });

  it('refuses an alias of another actor and an env_file outside the folder, and creates nothing', async () => {
    const name = `refused-${own.name}`;
    await home.json('actors', 'create', projects.image, '--name', `other-${own.name}`, '--alias', name);
    writeFolder({ name, alias: name });
    const taken = await own.run(['actors', 'create', './actor']);
    expect(taken).toMatchObject({ code: 7, stdout: '', stderr: expect.stringContaining(`aliases set ${name} ACTOR`) });
    own.write(JSON.stringify({ name, env_file: '../vars' }), 'actor/actorctl.json');
    own.write('A=1\n', 'vars');
    expect(await own.run(['actors', 'create', './actor'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('add --allow-outside'),
    });
    expect(await home.json('actors', 'list', '--filter', `name=${name}`)).toEqual([]);
    const allowed = await own.run(['actors', 'create', './actor', '--allow-outside', '--json']);
    expect(JSON.parse(allowed.stdout)).toMatchObject({ name, default_environment: { A: '1' } });
  });
});

describe('an image that is a folder', () => {
  it.each([
    ['actors create ./nosuchdir', ['actors', 'create', './nosuchdir']],
    ['actors create file:///nosuchdir', ['actors', 'create', 'file:///nosuchdir']],
    ['apply', ['apply']],
    ['actors update --image', ['actors', 'update', 'PRESENT', '--image', './nosuchdir']],
  ])('that does not exist is refused by %s, and nothing changes', async (_title, args) => {
    const present = `present-${own.name}`;
    await home.json('actors', 'create', projects.image, '--name', present);
    own.write(`project: ${own.name}\nactors:\n  gone: { image: ./nosuchdir }\n`);
    const before = await home.json('actors', 'list', '--all', '--fields', 'id,image,version');
    const ended = await own.run(args.map((arg) => (arg === 'PRESENT' ? present : arg)));
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/Cannot use the folder \/\S*nosuchdir: it does not exist/);
    expect(await home.json('actors', 'list', '--all', '--fields', 'id,image,version')).toEqual(before);
  });

  it('without actor.json is refused, and one with a Dockerfile names deploy', async () => {
    mkdirSync(join(own.folder, 'plain'));
    const plain = await own.run(['actors', 'create', './plain']);
    expect(plain).toMatchObject({ code: 2, stderr: expect.stringContaining('plain/actor.json: it does not exist') });
    own.write('FROM busybox\n', 'plain/Dockerfile');
    expect(await own.run(['actors', 'create', './plain'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: ./plain has a Dockerfile and no actor.json, so it cannot run as a process\ntry: actorctl actors deploy ./plain\n',
    });
  });
});
