// Stryker looks at tests only. A mutant that breaks the import of a test file leaves no test that fails, so one is added.
import type { Reporter } from 'vitest/node';

/** Adds a failed test to every test file that cannot be imported. */
export const brokenImports: Reporter = {
  onTestModuleEnd: ({ task: file }) => {
    const errors = file.result?.errors ?? [];
    if (errors.length === 0) return;
    const name = 'the test file can be imported';
    file.tasks.push({
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
      result: { state: 'fail', errors },
    });
  },
};
