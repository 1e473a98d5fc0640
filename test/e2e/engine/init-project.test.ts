// `actorctl init`: what it writes passes its own tests, and its README can be followed line by line.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';
import { dockerRequirement, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

let home: Home;
beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
});
afterAll(() => home.remove());

const at = (name: string) => join(home.folder, name);
const read = (...names: string[]) => readFileSync(join(home.folder, ...names), 'utf8');

describe('actorctl init', () => {
  it.each(['python', 'node', 'bash'])(
    'with --process writes a project of the template %s that passes its tests, and whose README works as written',
    async (template) => {
      const name = `process-${template}`;
      await home.json('init', at(name), '--template', template, '--process');
      const here = { cwd: at(name) };
      const tested = await home.cli(['test'], here);
      expect({ code: tested.code, output: `${tested.stdout}${tested.stderr}` }).toMatchObject({ code: 0 });
      expect(tested.stdout).toContain('2 tests: 2 passed, 0 failed');
      const lines = read(name, 'README.md').match(/(?<=^ {4}actorctl ).*$/gm) ?? [];
      const own = lines.filter((line) => !/^(?:test|up) ?/.test(line));
      expect(own.map((line) => line.split(' ')[0])).toEqual(['apply', 'run', 'logs', 'state', 'configs', 'project']);
      for (const line of own) {
        const { code, stdout, stderr } = await home.cli(line.split(' '), here);
        expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
        if (line.startsWith('run')) expect(stdout).toContain('hello Ana');
        if (line.startsWith('state')) expect(stdout).toMatch(/[1-9]/);
      }
    },
  );

  it.each(['python', 'node', 'bash', 'go', 'ts'])(
    'writes a project of containers of the template %s, with a Dockerfile for each actor',
    async (template) => {
      const name = `container-${template}`;
      const made = await home.json<{ files: string[] }>('init', at(name), '--template', template);
      expect(made).toMatchObject({ project: name, template, process: false });
      for (const file of made.files) expect(existsSync(join(home.folder, name, file))).toBe(true);
      for (const actor of ['greeter', 'counter'])
        expect(readdirSync(join(home.folder, name, actor))).toEqual(
          expect.arrayContaining(['.dockerignore', 'Dockerfile']),
        );
      expect(read(name, 'actorctl.yaml')).toContain('build: { context: ./greeter }');
      const sources = readdirSync(join(home.folder, name, 'greeter')).map((file) => read(name, 'greeter', file));
      expect(sources.join('')).toContain('GREETING');
      const planned = await home.cli(['diff'], { cwd: join(home.folder, name) });
      expect({ code: planned.code, stderr: planned.stderr }).toEqual({ code: 12, stderr: '' });
    },
  );

  it.each([
    [['--template', 'go', '--process'], 2, 'an actor of the template go needs a container'],
    [['--name', 'a b'], 2, '--name: "a b" must begin with a letter or digit'],
    [['--template', 'cobol'], 2, '--template must be one of'],
  ])('refuses %j and writes nothing', async (flags, code, message) => {
    const refused = await home.cli(['init', at('refused'), ...flags]);
    expect(refused).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(existsSync(at('refused'))).toBe(false);
  });

  it('keeps a folder that is not empty, and derives the name of the project from any folder', async () => {
    await home.json('init', at('Köln & more'), '--template', 'bash', '--process');
    expect(read('Köln & more', 'actorctl.yaml')).toMatch(/^project: K-ln-more\n/);
    const before = read('Köln & more', 'actorctl.yaml');
    const again = await home.cli(['init', at('Köln & more'), '--name', 'other']);
    expect(again).toMatchObject({ code: 7, stderr: expect.stringContaining('is not empty') });
    expect(read('Köln & more', 'actorctl.yaml')).toBe(before);
  });

  it('asks on a terminal for what no flag says', async () => {
    const down = '\u001b[B';
    const { code, text } = await onTerminal(`init ${at('asked')}`, home.env, [
      ['Language of the actors', down],
      ['Run the actors', down],
    ]);
    expect({ code, text }).toMatchObject({
      code: 0,
      text: expect.stringContaining('(project asked, node, processes)'),
    });
    expect(readdirSync(join(at('asked'), 'greeter'))).toEqual(['actor.json', 'main.mjs']);
    const given = await onTerminal(`init ${at('told')} --template go`, home.env);
    expect(given.text).toContain('(project told, go, containers)');
  });
});

describeIf(await dockerRequirement(), 'a project of containers that actorctl init writes', () => {
  const images = testImages();
  afterAll(() => images.remove());

  it('passes its tests, with a busybox of this machine', async () => {
    const connected = inProcessHome();
    const folder = join(connected.folder, 'contained');
    await connected.json('init', folder, '--template', 'bash');
    const base = await images.busybox(undefined);
    for (const actor of ['greeter', 'counter']) {
      const file = join(folder, actor, 'Dockerfile');
      const from = `FROM ${base}\nRUN ["/bin/busybox", "--install", "-s", "/bin"]`;
      writeFileSync(file, readFileSync(file, 'utf8').replace('FROM busybox', from));
    }
    const tested = await connected.cli(['test'], { cwd: folder });
    await connected.remove();
    expect({ code: tested.code, output: `${tested.stdout}${tested.stderr}` }).toMatchObject({
      code: 0,
      output: expect.stringContaining('2 tests: 2 passed, 0 failed'),
    });
  });
});
