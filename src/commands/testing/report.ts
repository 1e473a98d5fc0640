// Reports of test results: as text, as values for programs, and as JUnit XML.
import { type Paint, plain } from '../../ui/color.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { stripControl } from '../../ui/text.ts';
import type { TestResult } from './run-test.ts';

export const hasPassed = ({ differences, error }: Pick<TestResult, 'differences' | 'error'>): boolean =>
  differences.length === 0 && error === undefined;

/** Longest log, in lines, that a failed test shows of one run. */
const LOG_LINES = 20;

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : typeof value === 'string' ? value.replace(/\n$/, '') : JSON.stringify(value);

const indented = (text: string, lead: string): readonly string[] =>
  stripControl(text)
    .split('\n')
    .map((line) => `${lead}${line}`);

const labelled = (label: string, value: unknown, color: (text: string) => string): readonly string[] =>
  indented(shown(value), '').map((line, index) =>
    color(`      ${index === 0 ? label : ' '.repeat(label.length)}  ${line}`),
  );

/** The lines of a result. The failed ones have the differences and the logs. */
export const resultLines = (result: TestResult, paint: Paint): readonly string[] => {
  const { test, differences, error, logs, durationMs } = result;
  const time = paint.dim(`(${formatDuration(durationMs)})`);
  if (hasPassed(result)) return [`${paint.green('ok')}    ${stripControl(test.name)}  ${time}`];
  return [
    `${paint.red('FAIL')}  ${stripControl(test.name)}  ${time}  ${test.at}`,
    ...(error === undefined ? [] : indented(error, '    ')),
    ...differences.flatMap(({ what, expected, actual }) => [
      `    ${what}`,
      ...labelled('expected', expected, paint.green),
      ...labelled('actual  ', actual, paint.red),
    ]),
    ...logs.flatMap(({ actor, run }) => [
      paint.dim(`    log of ${actor}/${run.id}`),
      ...(run.log === '' ? ['      (empty)'] : indented(run.log.replace(/\n$/, ''), '      | ').slice(-LOG_LINES)),
    ]),
  ];
};

/** The object of a result for programs. */
export const resultValue = (result: TestResult) => {
  const { test, differences, error, logs, durationMs } = result;
  return {
    file: test.file,
    name: test.name,
    at: test.at,
    status: hasPassed(result) ? 'passed' : 'failed',
    duration_ms: durationMs,
    ...(error !== undefined && { error }),
    differences: differences.map(({ what, expected, actual }) => ({ what, expected, actual: actual ?? null })),
    logs: logs.map(({ actor, run: { id, log } }) => ({ actor, execution_id: id, log })),
  };
};

const escapes: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

/** XML text. Characters that XML 1.0 does not allow are replaced. */
const xml = (text: string): string =>
  // The round trip replaces half surrogate pairs.
  Buffer.from(text)
    .toString()
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '\ufffd')
    .replaceAll(/[<>&"]/g, (character) => escapes[character] ?? character);

const seconds = (ms: number): string => (ms / 1_000).toFixed(3);

/** The results as JUnit XML, with one suite for each file. */
export const junitOf = (results: readonly TestResult[]): string => {
  const files = [...new Set(results.map(({ test }) => test.file))];
  const suites = files.map((file) => {
    const own = results.filter(({ test }) => test.file === file);
    const cases = own.map((result) => {
      const { test, durationMs } = result;
      const open = `    <testcase classname="${xml(file)}" name="${xml(test.name)}" time="${seconds(durationMs)}"`;
      if (hasPassed(result)) return `${open}/>`;
      const [, ...lines] = resultLines(result, plain);
      const message = result.error ?? result.differences[0]?.what ?? '';
      return `${open}>\n      <failure message="${xml(message)}">${xml(lines.join('\n'))}</failure>\n    </testcase>`;
    });
    const failed = own.filter((each) => !hasPassed(each)).length;
    const time = seconds(own.reduce((sum, { durationMs }) => sum + durationMs, 0));
    return [
      `  <testsuite name="${xml(file)}" tests="${own.length}" failures="${failed}" time="${time}">`,
      ...cases,
      '  </testsuite>',
    ].join('\n');
  });
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n');
};
