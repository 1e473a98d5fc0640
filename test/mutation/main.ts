// Mutation testing by hand: `npm run mutation -- daemon/domain/oauth` mutates one folder, file or part of a file (`FILE.ts:10-20`), and without an argument all that is measured.
import { Stryker } from '@stryker-mutator/core';

/**
 * The measured folders, and the tests that must kill their mutants: unit tests, and those tests of a whole store that
 * take milliseconds. A surviving mutant runs all of them, and a test that starts a service takes a hundred times
 * longer. The first matching folder is used.
 */
const testsOf = {
  'daemon/domain': ['test/unit/{domain,events,oauth,schedule,search}/**/*.test.ts'],
  'daemon/http': ['test/unit/{events,http}/**/*.test.ts'],
  'daemon/store/archive': ['test/unit/archive/**/*.test.ts'],
  'daemon/store/table': ['test/unit/store/{keys,layer,orders,record-files,records}.test.ts'],
  'daemon/store': [
    'test/unit/store/**/*.test.ts',
    'test/ports/{bodies,logs,store}.test.ts',
    'test/integration/store/store-{files,memory,schema,syncs}.test.ts',
  ],
};

const asked = process.argv.slice(2);
for (const part of asked.length === 0 ? Object.keys(testsOf) : asked) {
  const tests = Object.entries(testsOf).find(([folder]) => part.startsWith(folder))?.[1];
  if (tests === undefined) throw new Error(`give a path in one of ${Object.keys(testsOf).join(', ')}, not "${part}"`);
  const inner = Object.keys(testsOf).filter((folder) => folder.startsWith(`${part}/`));
  process.env['MUTATION_TESTS'] = tests.join(' ');
  const withImports = part.startsWith('daemon/domain');
  process.env['MUTATION_ISOLATE'] = String(withImports);
  const report = `.stryker-tmp/reports/${part.replace(/[/.]+/g, '-')}`;
  await new Stryker({
    mutate: /\.ts(:|$)/.test(part) ? [part] : [`${part}/**/*.ts`, ...inner.map((folder) => `!${folder}/**`)],
    testRunner: 'vitest',
    // Only test files that import the mutated file, so that a mutant in code that runs at import costs little.
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: true },
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    coverageAnalysis: 'perTest',
    // A mutant in code that runs at import, or before the first test, needs a run of all tests. The unit tests of the
    // rules run in a second.
    ignoreStatic: !withImports,
    reporters: ['progress', 'clear-text', 'json', 'html'],
    clearTextReporter: { logTests: false, allowColor: false },
    jsonReporter: { fileName: `${report}.json` },
    htmlReporter: { fileName: `${report}.html` },
    // No type is checked, and built files may change meanwhile.
    disableTypeChecks: false,
    ignorePatterns: ['/dist'],
    // Inside the repository, so that the sandbox resolves node_modules.
    tempDirName: '.stryker-tmp/sandbox',
    cleanTempDir: 'always',
    concurrency: 1,
    // A slow run on a busy machine must not count as an endless loop.
    timeoutMS: Number(process.env['MUTATION_TIMEOUT'] ?? 20_000),
    // A mutant that allocates without end fails soon.
    testRunnerNodeArgs: ['--max-old-space-size=512'],
  }).runMutationTest();
}
