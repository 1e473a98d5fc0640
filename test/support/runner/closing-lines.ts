// The last lines of a test run: the skipped suites with the reasons, the counts, and each failed test with its seed and
// the beginning of its errors, because a record of a run may keep only its end.
import { stripVTControlCharacters } from 'node:util';
import type { TestError, UserConsoleLog } from 'vitest';
import type { Reporter, TestModule, TestSuite } from 'vitest/node';
import { SKIP_MARK } from './requirements.ts';

const skippedSuites = function* (children: TestModule['children']): Generator<TestSuite> {
  for (const child of children) {
    if (child.type !== 'suite') continue;
    if (child.name.includes(SKIP_MARK)) yield child;
    else yield* skippedSuites(child.children);
  }
};

/** Longest part of an error that is repeated, in lines and in characters of a line. */
const ERROR_LINES = 12;
const LINE_LENGTH = 400;

const failureOf = (name: string, printed: readonly string[], errors: readonly TestError[]): string => {
  const begins = errors.flatMap(({ message, diff = '' }) => `${message}\n${diff}`.split('\n').slice(0, ERROR_LINES));
  const lines = [...printed, ...begins.map(stripVTControlCharacters)].filter((line) => line.trim() !== '');
  return [`  ${name}`, ...lines.map((line) => `    ${line.slice(0, LINE_LENGTH)}`)].join('\n');
};

/** A vitest reporter that only prints the closing lines. */
export default class ClosingLines implements Reporter {
  /** Lines with a seed that a test printed, by the id of the test. */
  private readonly seeds = new Map<string, string[]>();

  onUserConsoleLog({ content, taskId = '' }: UserConsoleLog): void {
    if (!content.includes('ACTORCTL_TEST_SEED=')) return;
    this.seeds.set(taskId, [...(this.seeds.get(taskId) ?? []), content.trim()]);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines: string[] = [];
    for (const module of modules) {
      for (const suite of skippedSuites(module.children)) {
        const [name, reason] = suite.name.split(SKIP_MARK);
        const tests = [...suite.children.allTests()].length;
        lines.push(`  ${name} (${tests} tests): ${reason}`);
      }
    }
    if (lines.length > 0) {
      process.stdout.write(`\nNot run on this machine:\n${lines.join('\n')}\n`);
    }
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    process.stdout.write(`\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped\n`);
    const failures = [
      ...modules.map((module) => ({ name: module.relativeModuleId, printed: [], errors: module.errors() })),
      ...tests.map((test) => ({
        name: `${test.module.relativeModuleId} > ${test.fullName}`,
        printed: this.seeds.get(test.id) ?? [],
        errors: test.result().errors ?? [],
      })),
    ].filter(({ errors }) => errors.length > 0);
    if (failures.length === 0) return;
    const shown = failures.map(({ name, printed, errors }) => failureOf(name, printed, errors));
    process.stdout.write(`\nFailed tests:\n${shown.join('\n')}\n`);
  }
}
