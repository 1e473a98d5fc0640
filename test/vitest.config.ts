// How the tests run: two at a time (some drive a real engine), real time limits, and a closing line that names what was skipped.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: fileURLToPath(new URL('./support/global-setup.ts', import.meta.url)),
    reporters: ['default', fileURLToPath(new URL('./support/skip-reporter.ts', import.meta.url))],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    pool: 'forks',
    restoreMocks: true,
  },
});
