// How the tests run: two at a time (some drive a real engine), real time limits, and a closing line that names what was skipped.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: fileURLToPath(new URL('./support/runner/global-setup.ts', import.meta.url)),
    reporters: ['default', fileURLToPath(new URL('./support/runner/skip-reporter.ts', import.meta.url))],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    pool: 'forks',
    restoreMocks: true,
    // Engines, browsers and kill storms share two noisy cores there; what fails twice in a row is a fault. At home nothing is tried again.
    retry: process.env['CI'] ? 1 : 0,
  },
});
