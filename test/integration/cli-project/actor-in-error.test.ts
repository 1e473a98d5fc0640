// `actors deploy`, `actors create` and `apply` of actors that are in ERROR, against the built daemon.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
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

const CAUSE = /Cannot read \S+actor\.json: it does not exist/;

const writeFolder = (name: string): void => {
  mkdirSync(join(own.folder, name));
  own.write('{"command": ["sh", "main.sh"]}', `${name}/actor.json`);
  own.write('echo "$MSG"\n', `${name}/main.sh`);
};

/** Removes the program of an actor and starts the actor again. */
const breakActor = async (name: string): Promise<void> => {
  rmSync(join(own.folder, name, 'actor.json'));
  await home.json('actors', 'update', name, '--force');
  await expect.poll(async () => (await home.json('actors', 'show', name))['status']).toBe('ERROR');
};

const errorOf = (stderr: string) => (JSON.parse(stderr) as { error: Record<string, unknown> }).error;

it('deploy without a change exits with 10 and shows the cause, for people and for programs', async () => {
  const name = `deployed-${own.name}`;
  writeFolder(name);
  own.write(JSON.stringify({ name, image: 'file:.' }), `${name}/actorctl.json`);
  expect(await own.run(['actors', 'deploy', name])).toMatchObject({ code: 0 });
  await breakActor(name);
  const deployed = await own.run(['actors', 'deploy', name]);
  expect(deployed).toMatchObject({ code: 10, stdout: expect.stringContaining('(nothing changed); ERROR\n') });
  expect(deployed.stderr).toMatch(CAUSE);
  expect(deployed.stderr).toMatch(/\ntry: actorctl actors update \w{13} --force\n$/);
  const json = await own.run(['actors', 'deploy', name, '--json']);
  expect([json.code, JSON.parse(json.stdout), errorOf(json.stderr)]).toMatchObject([
    10,
    { status: 'ERROR', changed: [] },
    { code: 'ACTOR_ERROR', details: { status_message: expect.stringMatching(CAUSE) } },
  ]);
});

it('apply exits with 10 and names the actor of the file and the cause', async () => {
  const [good, bad] = [`good-${own.name}`, `bad-${own.name}`];
  writeFolder(good);
  writeFolder(bad);
  own.write(`project: ${own.name}\nactors:\n  ${good}: { image: ./${good} }\n  ${bad}: { image: ./${bad} }\n`);
  expect(await own.run(['apply', '--wait'])).toMatchObject({ code: 0 });
  await breakActor(bad);
  const applied = await own.run(['apply']);
  expect(applied).toMatchObject({ code: 10, stdout: expect.stringContaining(`Project ${own.name}: 2 unchanged\n`) });
  expect(applied.stderr).toContain(`the project is applied, but actor "${bad}" is not READY: `);
  expect(applied.stderr).toMatch(CAUSE);
});

it('apply --wait prints what it changed before it fails', async () => {
  const name = `waited-${own.name}`;
  writeFolder(name);
  own.write(`project: ${own.name}\nactors:\n  ${name}: { image: ./${name} }\n`);
  await own.steps(['apply']);
  await breakActor(name);
  own.write(`project: ${own.name}\nactors:\n  ${name}: { image: ./${name}, hints: [new] }\n`);
  const applied = await own.run(['apply', '--wait']);
  expect(applied).toMatchObject({ code: 10, stdout: expect.stringContaining(`Project ${own.name}: 1 changed\n`) });
  expect(applied.stderr).toMatch(CAUSE);
});

it('create --if-exists keep exits with 10 if the kept actor is in ERROR', async () => {
  const name = `kept-${own.name}`;
  writeFolder(name);
  const create = ['actors', 'create', `./${name}`, '--name', name, '--if-exists', 'keep'];
  expect(await own.run(create)).toMatchObject({ code: 0 });
  await breakActor(name);
  const kept = await own.run(create);
  expect(kept).toMatchObject({ code: 10, stdout: expect.stringMatching(/^Kept /) });
  expect(kept.stderr).toMatch(CAUSE);
});

it.each([
  ['variable', 'env:EMPTY', ''],
  ['file', 'file:empty', '\n'],
])('an empty %s is no secret of a project', async (_kind, secret, content) => {
  writeFileSync(join(own.folder, 'empty'), content);
  own.write(`project: ${own.name}\nconfigs:\n  key-${own.name}: { secret: { a: '${secret}' } }\n`);
  const applied = await own.run(['apply'], { EMPTY: '' });
  expect(applied).toMatchObject({ code: 2, stdout: '' });
  expect(applied.stderr).toMatch(/^error: actorctl\.yaml:3:\d+: (?:env:EMPTY|file:empty) is empty\n/);
});
