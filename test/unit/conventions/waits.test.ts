// Tests do not depend on how fast a machine is: they compare no clocks, and wait for events, not by loops of their own.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const CLOCK = String.raw`(?:Date\.now\(\)|performance\.now\(\)|process\.hrtime|new Date\(\))`;

/** The files that compare a time of the machine with another one, and why. */
const COMPARERS: Readonly<Record<string, string>> = {
  'test/e2e/actors/prune.docker.test.ts': 'it waits until an image is a second old; a later time holds as well',
  'test/integration/oauth/oauth-revoke.test.ts': 'it tells seconds from milliseconds, with a minute of tolerance',
  'test/ports/executor.suite.ts': 'it tells milliseconds from seconds, with a second of tolerance',
  'test/unit/http/tls-identity.test.ts': 'the time that it reads is the only clock of the code under test',
};

/** Without comments, each statement on a line of its own. */
const statementsOf = (code: string): string[] =>
  code
    .replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.replace(/\s+/g, ' '));

/** Expectations about the clock of the machine, or about a variable that was read from it. */
const comparisonsIn = (code: string): string[] => {
  const statements = statementsOf(code);
  const read = new RegExp(String.raw`\b(?:const|let) (\w+) = [^;{]*${CLOCK}[^;{]*$`);
  const names = statements.flatMap((statement) => read.exec(statement)?.[1] ?? []);
  const time = new RegExp([CLOCK, ...names.map((name) => String.raw`\b${name}\b`)].join('|'));
  return statements.flatMap((statement) => {
    // Times that code of this process is given, as in `expect(isOver(now)).toBe(true)`, are compared with nothing.
    const found =
      /\bexpect(?:\.poll)?\((.*)\)\.(?:not\.)?to(?:Be(?:(?:Less|Greater)Than(?:OrEqual)?|CloseTo))\((.*)\)$/.exec(
        statement,
      );
    return found !== null && time.test(`${found[1]} ${found[2]}`) ? [statement.trim()] : [];
  });
};

/** Loops that wait with a timer. */
const loopsIn = (code: string): string[] =>
  statementsOf(code).filter((statement) =>
    /\b(?:while|for) \(.*\) await new Promise\(\(\w+\) => setTimeout\(/.test(statement),
  );

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'test'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(?:test|suite)\.ts$/.test(file) && file !== 'test/unit/conventions/waits.test.ts');
const code = (file: string): string => readFileSync(join(root, file), 'utf8');

it('no test compares a time or a duration with the clock of the machine', () => {
  expect(files.filter((file) => comparisonsIn(code(file)).length > 0)).toEqual(Object.keys(COMPARERS));
});

it('no test file polls with a loop of its own: expect.poll does it, or until of test/support', () => {
  expect(files.filter((file) => loopsIn(code(file)).length > 0)).toEqual([]);
});

it('no test file waits with vi.waitFor or vi.waitUntil, which give up after a second if they have no limit', () => {
  const waiting = files.filter((file) => /\bvi\.wait(?:For|Until)\((?!.*(?:timeout|LIMIT))/.test(code(file)));
  expect(waiting).toEqual([]);
});

/** The files that let time pass, and why they cannot wait for an event. */
const SLEEPERS: Readonly<Record<string, string>> = {
  'test/dashboard/actors.test.ts': 'a response is late',
  'test/e2e/actors/exec.docker.test.ts': 'exec is killed at a random moment',
  'test/e2e/daemon/daemon-life.test.ts': 'two signals within a second count as one',
  'test/e2e/daemon/exec-signals.test.ts': 'two signals within a second count as one',
  'test/fault/events-crash.test.ts': 'a daemon is killed at a random moment',
  'test/fault/settled-kill.test.ts': 'a daemon is killed at a random moment',
  'test/integration/cli-commands/cli-commands-state.test.ts': 'a change is made again until the watch has begun',
  'test/integration/cli-login/cli-one-record.test.ts': 'a registration takes time',
  'test/integration/http/http-body-limits.test.ts': 'a client leaves in the middle of its body',
  'test/integration/scheduler/create-run.test.ts': 'a body and an engine are slow',
  'test/integration/scheduler/scheduler-cluster.test.ts': 'a start takes time',
  'test/integration/scheduler/scheduler-crash.test.ts': 'a random pause is a step of the model',
  'test/integration/scheduler/scheduler-executions.test.ts': 'nothing happens meanwhile',
  'test/unit/cli-streams/timeout-signal.test.ts': 'a timer is the subject',
  'test/unit/commands/wait-for-outcome.test.ts': 'a timer is the subject',
  'test/unit/daemon/disk-watch.test.ts': 'nothing happens meanwhile',
};

it('no test file lets time pass where it could wait for an event', () => {
  const sleep = /\b(?:setTimeout|sleep|pause)\((?:[^;\n]*(?:, |\())?(?:[1-9][\d_]*|\w+\.ms|random\(\))/;
  expect(files.filter((file) => sleep.test(code(file)))).toEqual(Object.keys(SLEEPERS));
});

it('no test has a time limit of its own: one in the configuration ends what hangs', () => {
  const limited = files.filter((file) =>
    /\b(?:timeout|testTimeout): [\d_]+ \}|^\s*\}, [\d_]{5,}\);$/m.test(code(file)),
  );
  // The time after which the kernel forgets an address is the subject, and a time limit of the code under test.
  expect(limited).toEqual(['test/engines/gateway.podman.test.ts', 'test/unit/daemon/docker-parts.test.ts']);
});

it.each([
  'expect(Date.parse(next)).toBeLessThanOrEqual(Date.now() + 3_600_000);',
  'const before = Date.now();\nawait act();\nexpect(next).toBeGreaterThan(before);',
  'const begun = performance.now();\nexpect(performance.now() - begun).toBeLessThan(50);',
  'await expect.poll(() => Date.now() - created).toBeGreaterThan(1);',
])('%j is detected as a time comparison', (text) => {
  expect(comparisonsIn(text)).toHaveLength(1);
});

it.each([
  'const now = Date.now();\nexpect(source(now).current()).toEqual(made);',
  'const soon = new Date(Date.now() + 1_500).toISOString();\nexpect(count).toBeLessThan(5);',
  '// expect(a).toBeLessThan(Date.now());\nexpect(a).toBeLessThan(3);',
])('%j is not valid', (text) => {
  expect(comparisonsIn(text)).toEqual([]);
});

it('a polling loop with a timer is detected', () => {
  expect(loopsIn('while (!(await is()))\n  await new Promise((next) => setTimeout(next, 50));')).toHaveLength(1);
  expect(loopsIn('await new Promise((next) => setTimeout(next, 50));')).toEqual([]);
});
