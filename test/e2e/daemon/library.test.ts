// `actorctl/client` and `actorctl/testing` as a user has them: a project with the packed package, compiled for each kind
// of module, and run with node:test, vitest and jest.
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-consumer-'));
const installed = path.join(folder, 'node_modules', 'actorctl');
const home = path.join(folder, 'home');
const inherited = Object.entries(process.env).filter(([name]) => !/^(ACTORCTL_|VITEST|NODE_OPTIONS$)/.test(name));
const env = { ...Object.fromEntries(inherited), ...NO_ENGINE, ACTORCTL_HOME: home, ACTORCTL_CREDENTIAL_STORE: 'file' };

/** What all consumers do with a platform. `equal` compares two values. */
const BODY = `
  const platform = await startPlatform({ project: 'project', clock: new Date('2030-01-01T00:00:00Z') });
  try {
    const run = await platform.run('sh', 'Bern');
    equal([run.exitCode, run.log.includes('got: Bern'), run.results.length], [0, true, 0]);
    equal((await platform.run('sh', 'fail', { check: false })).exitCode, 3);
    const failure = await platform.run('sh', 'fail').catch((error: unknown) => error);
    equal(failure instanceof ActorctlError && [failure.code, failure.message.includes('before')], ['EXECUTION_FAILED', true]);
    const client = await connect({ baseUrl: platform.baseUrl, token: platform.token });
    const made = await client.actors.create({ image: 'busybox', name: 'made' });
    const status: 'SUBMITTED' | 'READY' | 'ERROR' | 'SHUTTING_DOWN' = made.status;
    equal([made.name, status], ['made', 'SUBMITTED']);
    const missing = await client.actors.show({ actorId: 'nosuch' }).catch((error: unknown) => error);
    equal(missing instanceof ActorctlError && [missing.code, missing.status, typeof missing.requestId], ['NOT_FOUND', 404, 'string']);
    const stopped = await client.actors.list({}, { signal: AbortSignal.abort() }).catch((error: unknown) => error);
    equal(stopped instanceof ActorctlError && stopped.code, 'CANCELLED');
    for await (const { event } of platform.events()) {
      equal(event, 'ACTOR_READY');
      break;
    }
    equal((await platform.settled()).settled, true);
    equal((await platform.clock.advance('1d')).settled, true);
    equal((await platform.clock.now()).toISOString(), '2030-01-02T00:00:00.000Z');
    equal((await platform.executions('sh')).length, 3);
    await platform.reset();
    equal([(await platform.executions('sh')).length, (await platform.client.actors.list()).length], [0, 1]);
    equal((await platform.run('sh', 'again')).exitCode, 0);
  } finally {
    await platform.close();
  }
`;
const IMPORTS = `import { ActorctlError, startPlatform } from 'actorctl/testing';\nimport { connect } from 'actorctl/client';\n`;
const ASSERT = `const equal: (found: unknown, wanted: unknown) => void = assert.deepStrictEqual;\n`;

const REQUIRES = `import client = require('actorctl/client');\nimport testing = require('actorctl/testing');\nconst { connect } = client;\nconst { ActorctlError, startPlatform } = testing;\n`;

const sources = {
  'module.test.mts': `${IMPORTS}import assert from 'node:assert';\nimport test from 'node:test';\n${ASSERT}test('platform', async () => {${BODY}});\n`,
  'common.test.cts': `${REQUIRES}import assert = require('node:assert');\nimport test = require('node:test');\n${ASSERT}test('platform', async () => {${BODY}});\n`,
  'globals.test.cts': `${REQUIRES}declare const test: (name: string, body: () => Promise<void>) => void;\ndeclare const expect: (found: unknown) => { toEqual: (wanted: unknown) => void };\nconst equal = (found: unknown, wanted: unknown) => expect(found).toEqual(wanted);\ntest('platform', async () => {${BODY}});\n`,
  'bundled.test.ts': `${IMPORTS}import { expect, test } from 'vitest';\nconst equal = (found: unknown, wanted: unknown) => expect(found).toEqual(wanted);\ntest('platform', async () => {${BODY}});\ntest('await using', async () => {\n  await using platform = await startPlatform();\n  await expect(platform.clock.advance('1d')).rejects.toMatchObject({ code: 'OTHER_CLOCK', hint: expect.stringContaining('virtual') });\n  expect(await platform.client.actors.list()).toEqual([]);\n});\n`,
};

const configs = {
  node16: {
    module: 'node16',
    moduleResolution: 'node16',
    files: ['module.test.mts', 'common.test.cts', 'globals.test.cts'],
    types: ['node'],
  },
  bundler: { module: 'esnext', moduleResolution: 'bundler', files: ['bundled.test.ts'], types: [] },
};

beforeAll(async () => {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', path.join(folder, filename), '--strip-components=1', '-C', installed]);
  mkdirSync(path.join(folder, 'node_modules', '@types'));
  for (const name of ['vitest', '@types/node'])
    symlinkSync(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name));
  mkdirSync(path.join(folder, 'project'));
  shellActor(path.join(folder, 'project'));
  writeFileSync(
    path.join(folder, 'project', 'actorctl.yaml'),
    'project: one\nactors:\n  sh: { image: ./shell-actor }\n',
  );
  for (const [name, text] of Object.entries(sources)) writeFileSync(path.join(folder, name), text);
  for (const [name, { files, ...options }] of Object.entries(configs)) {
    const compilerOptions = {
      ...options,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.asynciterable', 'esnext.disposable'],
    };
    const config = {
      compilerOptions: { ...compilerOptions, strict: true, outDir: 'out', skipLibCheck: name === 'bundler' },
      files,
    };
    writeFileSync(path.join(folder, `tsconfig.${name}.json`), JSON.stringify(config));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The packed package. */
const packed = (): string => path.join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
const compile = async (config: string): Promise<string> => {
  const compiler = path.join(root, 'node_modules/typescript-7/bin/tsc');
  return run(process.execPath, [compiler, '-p', `tsconfig.${config}.json`], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
};
const left = (): readonly string[] => {
  const temporary = path.join(home, 'cache', 'temporary');
  return existsSync(temporary) ? readdirSync(temporary) : [];
};

describe('the libraries in a project of a user', () => {
  it('compile and run as ES module and as CommonJS with node:test', async () => {
    expect(await compile('node16')).toBe('');
    for (const file of ['module.test.mjs', 'common.test.cjs']) {
      const { stdout } = await run(process.execPath, ['--test', path.join('out', file)], { cwd: folder, env });
      expect(stdout).toMatch(/^# pass 1$/m);
    }
    expect(left()).toEqual([]);
  });

  it('compile for a bundler and run with vitest', async () => {
    expect(await compile('bundler')).toBe('');
    const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
    const { stdout } = await run(process.execPath, [vitest, 'run', '--testTimeout=120000', 'bundled.test.ts'], {
      cwd: folder,
      env: { ...env, NO_COLOR: '1' },
    });
    expect(stdout).toMatch(/Tests {2}2 passed/);
    expect(left()).toEqual([]);
  });

  it('run with jest', async () => {
    expect(await compile('node16')).toBe('');
    const config = { rootDir: path.join(folder, 'out'), testMatch: ['**/globals.test.cjs'], transform: {} };
    const jest = fileURLToPath(import.meta.resolve('jest/bin/jest'));
    const args = [jest, '--config', JSON.stringify(config), '--testTimeout=120000'];
    const { stderr } = await run(process.execPath, args, { cwd: folder, env: { ...env, NO_COLOR: '1' } });
    expect(stderr).toMatch(/^Tests: +1 passed, 1 total$/m);
    expect(left()).toEqual([]);
  });

  it('pass the linters of packages and of declarations', async () => {
    expect((await publint({ pkgDir: installed, strict: true, pack: false })).messages).toEqual([]);
    const checked = await checkPackage(createPackageFromTarballData(readFileSync(packed())));
    // `node10` stands for the resolution before Node 12, which knows no `exports`. TypeScript 7 has removed it.
    const problems = checked.types && checked.problems;
    expect(problems).toEqual([
      { kind: 'NoResolution', entrypoint: './client', resolutionKind: 'node10' },
      { kind: 'NoResolution', entrypoint: './testing', resolutionKind: 'node10' },
    ]);
  });

  it('have declarations that import no package, with a method for each operation', () => {
    for (const name of ['client.d.mts', 'client.d.cts', 'testing.d.mts', 'testing.d.cts']) {
      const text = readFileSync(path.join(installed, 'dist/actorctl', name), 'utf8');
      const imported = [...text.matchAll(/from '([^']+)'/g)].map(([, from]) => from);
      expect([...new Set(imported)]).toEqual(
        name.startsWith('client') ? [] : [`./client.${name.endsWith('mts') ? 'mjs' : 'cjs'}`],
      );
    }
  });
});
