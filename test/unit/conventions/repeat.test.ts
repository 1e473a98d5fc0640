// The summary of `npm run test:repeat`.
import { expect, it } from 'vitest';
import { summary } from '../../repeat/summary.ts';

const run = (number: number, failing: readonly string[] = []) => ({
  number,
  passed: failing.length === 0,
  seconds: 1,
  tests: 2,
  files: [{ file: 'a.test.ts', ms: number * 1_000 }],
  failures: failing.map((test) => ({ test, message: `${test} broke`, seeds: test === 'often' ? ['seed: -7'] : [] })),
  ...(failing.length > 0 && { log: `run-${number}.log` }),
});

it('lists failures by test, the most frequent first, with their seeds and the output of their runs', () => {
  expect(summary([run(1), run(2, ['once', 'often']), run(3, ['often'])], undefined).split('\n')).toEqual([
    '',
    '3 runs, 2 failed',
    'Failures by test:',
    '  2 × often',
    '      run 2: often broke | seed: -7 | run-2.log',
    '      run 3: often broke | seed: -7 | run-3.log',
    '  1 × once',
    '      run 2: once broke | run-2.log',
  ]);
});

it('lists the slowest files and what was left behind, if that was counted', () => {
  expect(summary([run(1), run(2), run(4)], { processes: ['17 sleep'], networks: [] }).split('\n')).toEqual([
    '',
    '3 runs, 0 failed',
    'Slowest files:',
    '  2.0 s in the median, 4.0 s at most: a.test.ts',
    'Left behind, or of other work on this machine:',
    '  1 processes',
    '      17 sleep',
  ]);
  expect(summary([run(1)], { processes: [] })).toContain('Nothing was left behind');
});
