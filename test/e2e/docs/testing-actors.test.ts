// The examples of docs/testing-actors.md that need more than a shell: pytest, and the files of two CI systems.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { createHome, type Home, program } from '../../support/daemon/home.ts';
import { pytestRequirement } from '../../support/python/pytest.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const page = readFileSync(new URL('../../../docs/testing-actors.md', import.meta.url), 'utf8');
const blocks = (kind: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block);

let home: Home;
let folder: string;
beforeEach(() => {
  home = createHome(NO_ENGINE);
  const bin = path.join(home.folder, 'bin');
  mkdirSync(bin);
  symlinkSync(program, path.join(bin, 'actorctl'));
  home.env['PATH'] = `${bin}:${process.env['PATH']}`;
  home.env['RUNNER_TEMP'] = home.folder;
  folder = path.join(home.folder, 'greeter');
  const [project = ''] = blocks('sh');
  expect(spawnSync('sh', ['-ec', project], { cwd: home.folder, env: home.env }).status).toBe(0);
});
afterEach(() => home.remove());

const shell = (line: string) => {
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', line], { cwd: folder, env: home.env, encoding: 'utf8' });
  return { status, stdout, stderr };
};

/** The shell lines of a job, without the installation. */
const withoutInstall = (lines: readonly string[]): string =>
  lines.filter((line) => !line.startsWith('npm install ')).join('\n');

it('the job for GitHub Actions passes, and its archive is where the next step looks for it', () => {
  const [text = ''] = blocks('yaml');
  const { steps } = parse(text).jobs.test as { steps: readonly { run?: string; with?: { path?: string } }[] };
  const lines = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
  expect(shell(withoutInstall(lines))).toMatchObject({ status: 0, stdout: '1 test passed\n' });
  const archive = steps.at(-1)?.with?.path?.replace('${{ runner.temp }}', home.folder) ?? '';
  expect(existsSync(archive)).toBe(true);
});

it('the job for GitLab passes, fails with its test, and leaves its artefact', () => {
  const [, text = ''] = blocks('yaml');
  const { script, artifacts } = parse(text).test as { script: readonly string[]; artifacts: { paths: string[] } };
  expect(shell(withoutInstall(script))).toMatchObject({ status: 0, stdout: '1 test passed\n' });
  writeFileSync(path.join(folder, 'test.sh'), 'exit 7\n');
  expect(shell(withoutInstall(script)).status).toBe(7);
  expect(artifacts.paths.map((each) => existsSync(path.join(folder, each)))).toEqual([true]);
});

describeIf(pytestRequirement, 'the example for pytest', () => {
  it('passes, and its failure is that of exec', () => {
    const [test = ''] = blocks('python');
    writeFileSync(path.join(folder, 'test_greet.py'), test);
    expect(shell('actorctl exec -q -- python3 -m pytest -q')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 passed'),
    });
    writeFileSync(path.join(folder, 'test_greet.py'), `${test}\n    assert False\n`);
    expect(shell('actorctl exec -q -- python3 -m pytest -q').status).toBe(1);
  });
});
