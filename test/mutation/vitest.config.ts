// The tests of a mutation run: in process, without an engine, a browser or a daemon process.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: [
      'test/unit/{domain,events,oauth,daemon}/**/*.test.ts',
      'test/integration/{store,http}/**/*.test.ts',
      'test/ports/{store,logs,bodies}.test.ts',
    ],
    testTimeout: 30_000,
  },
});
