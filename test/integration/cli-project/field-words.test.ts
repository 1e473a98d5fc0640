// Values that the service refuses are named in the words of the command or the file, against the built daemon.
import { mkdirSync } from 'node:fs';
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
  await home.json('actors', 'create', projects.image, '--name', 'worded');
});
beforeEach(() => {
  own = projects.begin();
});
afterAll(() => home.remove());

it.each([
  [['--memory', '1x'], '--memory must look like 512m or 1g, or be -1.'],
  [['--placement', 'x'], '--placement must look like node.labels.gpu==true or node.hostname!=worker2.'],
  [['--sender-variables', '1x'], '--sender-variables must look like SHELL_NAME, or like PREFIX_* for a prefix.'],
  [['--webhook', 'x'], '--webhook must be an absolute URL, like http://127.0.0.1:9000/hook'],
  [['--cron', 'x'], '--cron "x" is not a schedule: '],
  [['-e', 'MSG=x'], '--env must not set MSG'],
])('actors create and update name the flag of %j', async (flags, message) => {
  for (const args of [
    ['create', projects.image, '--name', own.name, ...flags],
    ['update', 'worded', ...flags],
  ]) {
    const { code, stdout, stderr } = await home.cli(['actors', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.slice(0, 'error: '.length + message.length)).toBe(`error: ${message}`);
  }
});

it('a field of a description file keeps its name', async () => {
  own.write('{"memLimit": "1x"}', 'actor.json');
  const { code, stderr } = await own.run(['actors', 'create', projects.image, '-f', 'actor.json']);
  expect([code, stderr]).toEqual([2, 'error: memLimit must look like 512m or 1g, or be -1.\n']);
});

it('deploy and apply name the field of the file', async () => {
  mkdirSync(join(own.folder, 'actor'));
  own.write('{"command": ["sh", "main.sh"]}', 'actor/actor.json');
  own.write(JSON.stringify({ name: own.name, image: 'file:.', memory: '1x' }), 'actor/actorctl.json');
  const memory = 'memory must look like 512m or 1g, or be -1.';
  expect(await own.run(['actors', 'deploy', 'actor'])).toMatchObject({ code: 2, stderr: `error: ${memory}\n` });
  own.write(`project: ${own.name}\nactors:\n  a: { image: ./actor, memory: 1x, cron: { schedule: x } }\n`);
  expect((await own.run(['apply'])).stderr).toMatch(/cannot create actor a: (?:memory must|cron "x" is not)/);
});

it('run, send and cron set name the flag or argument', async () => {
  for (const command of ['run', 'send']) {
    const { code, stderr } = await home.cli([command, 'worded', '-m', 'x', '--env', 'PATH=1']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error: --env: "PATH" cannot be set for one execution: only the owner sets it\nhint: for all executions: actorctl actors update \S+ --env PATH=VALUE\n$/,
    );
  }
  expect((await home.cli(['cron', 'set', 'worded', 'x'])).stderr).toMatch(/^error: the schedule "x" is not a schedule/);
  expect((await home.cli(['cron', 'set', 'worded', '@daily', '--tz', 'Mars'])).stderr).toMatch(/^error: --tz /);
});

it('an env file with export is refused by create and apply with file and line', async () => {
  own.write('A=1\nexport B=2\n', 'e.env');
  const refusal = /e\.env:2: "export" is not allowed, .*\nhint: write B=VALUE/;
  const created = await own.run(['actors', 'create', projects.image, '--env-file', 'e.env']);
  expect([created.code, created.stderr]).toEqual([2, expect.stringMatching(refusal)]);
  own.write(`project: ${own.name}\nactors:\n  a: { image: '${projects.image}', env_file: e.env }\n`);
  expect(await own.run(['apply'])).toMatchObject({ code: 2, stderr: expect.stringMatching(refusal) });
});

it('an invalid actorctl.json is refused with line, column and what to write', async () => {
  mkdirSync(join(own.folder, 'actor'));
  own.write('{"command": ["sh"]}', 'actor/actor.json');
  own.write('{\n  "env": {"V": 8080}\n}', 'actor/actorctl.json');
  for (const verb of ['deploy', 'create']) {
    const { code, stderr } = await own.run(['actors', verb, './actor']);
    expect([code, stderr]).toEqual([
      2,
      `error: ${join(own.folder, 'actor')}/actorctl.json:2:16: env.V must be a text, not a number\nhint: write it in quotes: "8080"\n`,
    ]);
  }
});

it.each([
  ['create', ['create', 'comma', '--redirect-uri'], 'http://localhost:1/a,b', 'http://localhost:1/a%2Cb'],
  ['update', ['update', 'comma', '--add-redirect-uri'], 'https://a.example/?x=1,2', 'https://a.example/?x=1%2C2'],
])('clients %s names the comma in a redirect URI and how to write it', async (_verb, args, uri, encoded) => {
  const ended = await home.cli(['clients', ...args, uri]);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain(`a comma separates two URIs, and the text after the comma in "${uri}" is not a URI`);
  expect(ended.stderr).toContain(`hint: write a comma inside a URI as %2C: ${encoded}\n`);
  const works = await home.json('clients', ...args, encoded);
  expect(String(works['callback_url']).split(',')).toContain(encoded);
});

it('clients create takes two redirect URIs in one flag', async () => {
  const both = 'https://a.example/,https://b.example/';
  expect(await home.json('clients', 'create', 'both', '--redirect-uri', both)).toMatchObject({ callback_url: both });
});

it('a missing actor is asked for by its forms and its place in the line', async () => {
  expect((await home.cli(['aliases', 'set', 'wc'])).stderr).toBe(
    'error: missing required argument "actor"\nhint: add a name, alias or id, or run this in a folder with actorctl.json\n',
  );
});
