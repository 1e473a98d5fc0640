// What a reader learns at the end of repeated runs: failures by test, the slowest files, and what was left behind.
import type { Inventory } from './leaks.ts';
import type { Failure, RunRecord } from './record-reporter.ts';

/** One of the runs. */
export interface Run extends RunRecord {
  readonly number: number;
  readonly passed: boolean;
  readonly seconds: number;
  /** The file with the output of a failed run. */
  readonly log?: string;
}

const groups = <T>(items: readonly T[], keyOf: (item: T) => string): [string, T[]][] => {
  const found = new Map<string, T[]>();
  for (const item of items) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item]);
  return [...found];
};

interface Place extends Failure {
  readonly run: number;
  readonly log: string;
}

const failuresByTest = (runs: readonly Run[]): string[] => {
  const places = runs.flatMap(({ number, log = '', failures }) =>
    failures.map((failure): Place => ({ ...failure, run: number, log })),
  );
  const tests = groups(places, ({ test }) => test).toSorted(([, a], [, b]) => b.length - a.length);
  return tests.flatMap(([test, of]) => [
    `  ${of.length} × ${test}`,
    ...of.map(({ run, message, seeds, log }) => `      run ${run}: ${[message, ...seeds, log].join(' | ')}`),
  ]);
};

const SLOWEST = 10;
const slowestFiles = (runs: readonly Run[]): string[] => {
  const files = groups(
    runs.flatMap(({ files: of }) => of),
    ({ file }) => file,
  ).map(([file, of]) => {
    const times = of.map(({ ms }) => ms / 1_000).toSorted((a, b) => a - b);
    return { file, median: times[times.length >> 1] ?? 0, longest: times.at(-1) ?? 0 };
  });
  return files
    .toSorted((a, b) => b.median - a.median)
    .slice(0, SLOWEST)
    .map(
      ({ file, median, longest }) => `  ${median.toFixed(1)} s in the median, ${longest.toFixed(1)} s at most: ${file}`,
    );
};

export const summary = (runs: readonly Run[], leaks: Inventory | undefined): string => {
  const failed = runs.filter(({ passed }) => !passed).length;
  const left = Object.entries(leaks ?? {}).filter(([, names]) => names.length > 0);
  return [
    '',
    `${runs.length} runs, ${failed} failed`,
    ...(failed > 0 ? ['Failures by test:', ...failuresByTest(runs)] : []),
    ...(leaks !== undefined
      ? [
          'Slowest files:',
          ...slowestFiles(runs),
          left.length === 0 ? 'Nothing was left behind' : 'Left behind, or of other work on this machine:',
          ...left.flatMap(([kind, names]) => [`  ${names.length} ${kind}`, ...names.map((name) => `      ${name}`)]),
        ]
      : []),
  ].join('\n');
};
