// The folder of an actor: what it names must be inside it, unless the user allows otherwise.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readProject } from '../../../src/local/project/project.ts';
import { inProcessHome } from '../../support/daemon/home.ts';

let base: string;
let folder: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'actorctl-project-')));
  folder = path.join(base, 'project');
  for (const each of ['project/tests', 'project/inner', 'project-2', 'elsewhere']) {
    mkdirSync(path.join(base, each), { recursive: true });
  }
  writeFileSync(path.join(base, 'elsewhere', 'secrets'), 'KEY=secret');
  for (const each of ['project', 'project/inner', 'elsewhere']) writeFileSync(path.join(base, each, 'Dockerfile'), '');
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

const project = (document: object): void => {
  writeFileSync(path.join(folder, 'actorctl.json'), JSON.stringify({ name: 'hello', ...document }));
};

const link = (target: string, name: string): void => symlinkSync(target, path.join(folder, name));

const outside: readonly [string, () => void, string][] = [
  [
    'an env_file above the folder',
    () => project({ env_file: '../elsewhere/secrets' }),
    'actorctl.json: env_file "../elsewhere/secrets" is outside the folder',
  ],
  [
    'an absolute env_file',
    () => project({ env_file: '/etc/hostname' }),
    'actorctl.json: env_file "/etc/hostname" is outside the folder',
  ],
  [
    'an env_file in a folder whose name begins alike',
    () => project({ env_file: '../project-2/env' }),
    'actorctl.json: env_file "../project-2/env" is outside the folder',
  ],
  [
    'an env_file that is a symbolic link',
    () => {
      link('../elsewhere/secrets', '.env');
      project({ env_file: '.env' });
    },
    'actorctl.json: env_file ".env" is a symbolic link to',
  ],
  [
    'an env_file below a symbolic link',
    () => {
      link('../elsewhere', 'deep');
      project({ env_file: 'deep/secrets' });
    },
    'actorctl.json: env_file "deep/secrets" is a symbolic link to',
  ],
  [
    'a build.context above the folder',
    () => project({ build: { context: '..' } }),
    'actorctl.json: build.context ".." is outside the folder',
  ],
  [
    'a build.context that is a symbolic link',
    () => {
      link('../elsewhere', 'source');
      project({ build: { context: 'source' } });
    },
    'actorctl.json: build.context "source" is a symbolic link to',
  ],
  [
    'a message_schema above the folder',
    () => project({ message_schema: '../elsewhere/secrets' }),
    'actorctl.json: message_schema "../elsewhere/secrets" is outside the folder',
  ],
  [
    'a sample that is a symbolic link',
    () => {
      link('../../elsewhere/secrets', 'tests/sample.json');
      project({});
    },
    'the sample "tests/sample.json" is a symbolic link to',
  ],
];

describe('the folder of an actor', () => {
  it.each(outside)('R164 with %s is refused by name', async (_name, make, message) => {
    make();
    await expect(readProject(folder, { allowOutside: false })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(message),
      extras: { hint: 'if you trust this folder, add --allow-outside' },
    });
    expect(await readProject(folder, { allowOutside: true })).toMatchObject({ name: 'hello' });
  });

  it('may have links inside it, and may itself be reached by a link', async () => {
    writeFileSync(path.join(folder, 'inner', 'env'), 'A=1');
    link('inner', 'source');
    link('inner/env', '.env');
    project({ build: { context: 'source' }, env_file: '.env' });
    symlinkSync(folder, path.join(base, 'linked'));
    expect(await readProject(path.join(base, 'linked'), { allowOutside: false })).toMatchObject({
      envFile: path.join(folder, 'inner', 'env'),
      build: { context: path.join(folder, 'inner') },
    });
  });

  it('may name a file that does not exist, or whose name begins with two dots', async () => {
    project({ env_file: '..env' });
    expect((await readProject(folder, { allowOutside: false })).envFile).toBe(path.join(folder, '..env'));
  });

  it.each(['build', 'deploy', 'check', 'dev'])(
    'R164 is refused by `actors %s` before anything is sent',
    async (name) => {
      project({ env_file: '../elsewhere/secrets' });
      const home = inProcessHome({ ACTORCTL_BASE_URL: 'http://127.0.0.1:9', ACTORCTL_TOKEN: 'token' });
      const { code, stderr } = await home.cli(['actors', name, folder]);
      rmSync(home.folder, { recursive: true, force: true });
      expect(stderr).toBe(
        `error: actorctl.json: env_file "../elsewhere/secrets" is outside the folder ${folder}\nhint: if you trust this folder, add --allow-outside\n`,
      );
      expect(code).toBe(2);
    },
  );

  it('R164 is accepted by `actors deploy --allow-outside`, which then asks the service', async () => {
    project({ env_file: '../elsewhere/secrets' });
    const home = inProcessHome({ ACTORCTL_BASE_URL: 'http://127.0.0.1:9', ACTORCTL_TOKEN: 'token' });
    const { stderr } = await home.cli(['actors', 'deploy', folder, '--allow-outside', '--no-build']);
    rmSync(home.folder, { recursive: true, force: true });
    expect(stderr).toContain('127.0.0.1:9');
    expect(stderr).not.toContain('outside');
  });
});
