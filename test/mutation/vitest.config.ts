// The tests of a mutation run: in process, without an engine, a browser or a daemon process.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { brokenImports } from './broken-imports.ts';
import { keptThread } from './reused-thread.ts';

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  plugins: [keptThread()],
  // `main.ts` names the tests of the folder that is mutated.
  test: {
    reporters: [brokenImports()],
    include: process.env['MUTATION_TESTS']?.split(' ') ?? [],
    setupFiles: ['test/mutation/fewer-runs.ts'],
    // Without isolation the modules are evaluated once for all mutants, so mutants in code that runs at import stay inactive.
    isolate: process.env['MUTATION_ISOLATE'] === 'true',
    // Shorter than the limit of a mutant: a test that waits for ever fails, and the thread lives on.
    testTimeout: 15_000,
    restoreMocks: true,
  },
});
