// `actorctl test`: the tests of a project with process actors, their reports, and what remains afterwards.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ExecFixture, execFixture } from '../../support/daemon/exec-fixture.ts';
import { startProcess } from '../../support/daemon/run-program.ts';

let fixture: ExecFixture;
beforeEach(() => {
  fixture = execFixture();
  const project = [
    'project: one',
    'actors:',
    '  sh: { image: ./shell-actor, link: next, webhook: "https://example.invalid/hook" }',
    '  next: { image: ./shell-actor, stateless: false, state: { total: 0 } }',
    '  daily: { image: ./shell-actor, cron: "@daily" }',
    '',
  ];
  writeFileSync(path.join(fixture.folder, 'actorctl.yaml'), project.join('\n'));
});
afterEach(() => fixture.home.remove());

const test = (...args: readonly string[]) =>
  startProcess(['test', ...args], { env: fixture.home.env, cwd: fixture.folder, input: '' }).ended;

const write = (text: string, name = 'actorctl.test.yaml'): void => writeFileSync(path.join(fixture.folder, name), text);

const PASSING = `tests:
  says what it got:
    state: { next: { total: 2 } }
    send: { to: sh, message: hello }
    expect:
      sh: { exit: 0, runs: 1, log: { contains: "got: hello" } }
      next: { runs: 1, state: { total: 2 } }
    webhooks: { posts: 1, json: { event_type: EXECUTION_COMPLETE, exit_code: 0 } }
  runs every day:
    advance: 2d
    expect: { daily: { runs: 2 } }
`;

describe('actorctl test', () => {
  it.each([
    ['an instance for each test', []],
    ['one instance', ['--shared']],
  ])('passes with %s, and nothing remains', async (_, flags) => {
    write(PASSING);
    const { code, stdout, stderr } = await test(...flags);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toMatch(
      /^ok {4}says what it got {2}\(.*\)\nok {4}runs every day {2}\(.*\)\n2 tests: 2 passed, 0 failed /,
    );
    await fixture.nothingLeft();
  });

  it('--watch runs again after a change of the project, but not after what actorctl writes in it', async () => {
    write(PASSING);
    const env = { ...fixture.home.env, ACTORCTL_HOME: path.join(fixture.folder, 'own-home') };
    const running = startProcess(['test', '--watch', '--name', 'says'], { env, cwd: fixture.folder });
    await expect.poll(() => running.err()).toContain('waiting for a change');
    write(PASSING.replace('got: hello', 'got: nothing'));
    await expect.poll(() => running.out()).toContain('1 test: 0 passed, 1 failed');
    await expect.poll(() => running.err().match(/waiting for a change/g)).toHaveLength(2);
    running.interrupt();
    expect((await running.ended).code).toBe(0);
    expect(running.out()).toContain('1 test: 1 passed, 0 failed');
    expect(running.err().match(/^changed: .*/gm)).toEqual(['changed: actorctl.test.yaml']);
  });

  it('shows difference and log of a failed test, exits with 1, and writes JUnit XML and JSON', async () => {
    write(`tests:
  "wrong <1>":
    send: [{ to: sh, message: one }, { to: sh, message: { two: 2 } }]
    expect: { sh: { runs: 3, log: { contains: three } } }
  not asked for:
    send: { to: sh, message: other }
`);
    const { code, stdout } = await test('--name', 'wrong', '--junit', 'results.xml');
    expect(code).toBe(1);
    expect(stdout).toContain('FAIL  wrong <1>');
    expect(stdout).toContain('actorctl.test.yaml:2:3\n    sh: runs\n      expected  3\n      actual    2\n');
    expect(stdout).toContain('      | got: one\n');
    expect(stdout).toContain('1 test: 0 passed, 1 failed');
    const xml = readFileSync(path.join(fixture.folder, 'results.xml'), 'utf8');
    expect(xml).toContain('<testsuite name="actorctl.test.yaml" tests="1" failures="1"');
    expect(xml).toContain('name="wrong &lt;1&gt;"');
    const json = JSON.parse((await test('--name', 'wrong', '--json')).stdout);
    expect(json).toMatchObject({
      ...{ ok: false, passed: 0, failed: 1 },
      tests: [{ name: 'wrong <1>', status: 'failed', differences: [{ what: 'sh: runs', expected: 3, actual: 2 }, {}] }],
    });
    const lines = (await test('--name', 'not asked', '--ndjson')).stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'result', name: 'not asked for', status: 'passed' },
      { type: 'summary', ok: true, passed: 1, failed: 0 },
    ]);
  });

  it('reads the tests in actorctl.yaml', async () => {
    const project = readFileSync(path.join(fixture.folder, 'actorctl.yaml'), 'utf8');
    write(
      `${project}tests:\n  inside: { send: { to: sh, message: a }, expect: { sh: { runs: 1 } } }\n`,
      'actorctl.yaml',
    );
    expect(await test()).toMatchObject({ code: 0, stdout: expect.stringContaining('1 test: 1 passed') });
  });

  it.each([
    ['an unknown actor', 'a: { send: { to: shh } }', 'actorctl.test.yaml:2:20: the project has no actor "shh"'],
    ['an unknown field', 'a: { sent: { to: sh } }', 'actorctl.test.yaml:2:8: no field named "tests.a.sent"'],
    ['a wrong duration', 'a: { advance: soon }', 'actorctl.test.yaml:2:17: '],
    ['a wrong pattern', 'a: { advance: 1d, expect: { sh: { log: { matches: "(" } } } }', 'actorctl.test.yaml:2:53: '],
    ['a test that does nothing', 'a: {}', 'actorctl.test.yaml:2:3: test "a" does nothing'],
  ])('refuses %s with line and column and exit code 2', async (_, line, message) => {
    write(`tests:\n  ${line}\n`);
    const { code, stderr } = await test();
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(fixture.homes()).toEqual([]);
  });

  it('refuses a folder without tests and a pattern that matches none', async () => {
    expect(await test()).toMatchObject({ code: 2, stderr: expect.stringContaining('there are no tests') });
    write(PASSING);
    expect(await test('--name', 'nothing like it')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no test matches --name nothing like it'),
    });
  });
});
