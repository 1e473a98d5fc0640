// Stryker counts failed tests only. A mutant that breaks the import of a test file runs no test, so a failing one is
// added.
import type { RunnerTestCase, RunnerTestFile } from 'vitest';
import type { Reporter, Vitest } from 'vitest/node';

const failedImport = (file: RunnerTestFile): RunnerTestCase => {
  const name = 'the test file can be imported';
  return {
    id: `${file.id}_import`,
    name,
    fullName: name,
    fullTestName: name,
    type: 'test',
    mode: 'run',
    file,
    suite: file,
    meta: {},
    timeout: 0,
    annotations: [],
    artifacts: [],
    context: {} as never,
    result: { state: 'fail', errors: file.result?.errors ?? [] },
  };
};

/** Adds a failed test to every test file that cannot be imported. */
export const brokenImports = (): Reporter => {
  let vitest: Vitest | undefined;
  return {
    onInit: (started) => {
      vitest = started;
    },
    onTestRunEnd: () => {
      for (const file of vitest?.state.getFiles() ?? []) {
        if ((file.result?.errors ?? []).length > 0) file.tasks.push(failedImport(file));
      }
    },
  };
};
