// A vitest reporter that writes the results of a run into a file of the folder ACTORCTL_TEST_RECORDS, one file per
// vitest.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** The results of one vitest process. */
export interface RunRecord {
  readonly tests: number;
  readonly failures: readonly Failure[];
  /** Test files with the milliseconds of their tests and hooks. */
  readonly files: readonly { readonly file: string; readonly ms: number }[];
}

export interface Failure {
  readonly test: string;
  /** The first line of the first error. */
  readonly message: string;
  /** Seeds that the test printed, or that fast-check names in its error. */
  readonly seeds: readonly string[];
}

type Errors = readonly { readonly message: string }[];

const SEED = /\bACTORCTL_\w*SEED=\S+|\bseed: -?\d+(?:, path: "[^"]*")?/g;
const seedsIn = (text: string): string[] => [...text.matchAll(SEED)].map(([seed]) => seed);

const failure = (test: string, errors: Errors, printed: string): Failure => {
  const messages = errors.map(({ message }) => message).join('\n');
  return { test, message: messages.split('\n')[0] ?? '', seeds: [...new Set(seedsIn(`${printed}\n${messages}`))] };
};

export default class RecordReporter implements Reporter {
  readonly #printed = new Map<string, string>();

  onUserConsoleLog({ taskId = '', content }: Parameters<NonNullable<Reporter['onUserConsoleLog']>>[0]): void {
    this.#printed.set(taskId, (this.#printed.get(taskId) ?? '') + content);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: Errors): void {
    const failures = modules.flatMap((module) => {
      const file = path.relative(process.cwd(), module.moduleId);
      const name = (title?: string): string =>
        [`|${module.project.name}| ${file}`, ...(title === undefined ? [] : [title])].join(' > ');
      // A failed hook or import is an error of its suite or file.
      const suites = [...module.children.allSuites()].map((suite) => failure(name(suite.fullName), suite.errors(), ''));
      const tests = [...module.children.allTests('failed')].map((test: TestCase) =>
        failure(name(test.fullName), test.result().errors ?? [], this.#printed.get(test.id) ?? ''),
      );
      return [failure(name(), module.errors(), ''), ...suites, ...tests].filter(({ message }) => message !== '');
    });
    const record: RunRecord = {
      tests: modules.reduce((sum, { children }) => sum + [...children.allTests()].length, 0),
      failures: [...failures, ...unhandled.map((error) => failure('an error outside of the tests', [error], ''))],
      files: modules.map((module) => ({
        file: path.relative(process.cwd(), module.moduleId),
        ms: module.diagnostic().duration,
      })),
    };
    const name = `${process.pid}-${randomBytes(4).toString('hex')}.json`;
    writeFileSync(path.join(process.env['ACTORCTL_TEST_RECORDS'] ?? '.', name), JSON.stringify(record));
  }
}
