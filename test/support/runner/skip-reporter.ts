// Lists the skipped suites and the reasons in the last lines of a test run.
import type { Reporter, TestModule, TestSuite } from 'vitest/node';
import { SKIP_MARK } from './requirements.ts';

const skippedSuites = function* (children: TestModule['children']): Generator<TestSuite> {
  for (const child of children) {
    if (child.type !== 'suite') continue;
    if (child.name.includes(SKIP_MARK)) yield child;
    else yield* skippedSuites(child.children);
  }
};

/** A vitest reporter that only prints the closing lines. */
export default class SkipReporter implements Reporter {
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
  }
}
