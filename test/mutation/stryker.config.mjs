// Mutation testing of the rules, the store and the HTTP layer. Run it by hand: `npm run mutation -- --mutate 'daemon/store/**'`.
export default {
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  mutate: ['daemon/domain/**/*.ts', 'daemon/store/**/*.ts', 'daemon/http/**/*.ts'],
  coverageAnalysis: 'perTest',
  // A mutant in code that runs at import needs a fresh run of all tests; 14 % of the mutants would take 83 % of the time.
  ignoreStatic: true,
  reporters: ['clear-text', 'html', 'progress'],
  htmlReporter: { fileName: '.stryker-tmp/report.html' },
  // Inside the repository, so that the sandbox resolves node_modules.
  tempDirName: '.stryker-tmp',
  cleanTempDir: 'always',
  concurrency: 2,
};
