// How the tests run: one project per kind of test, two files at a time, long projects first, and a closing line that names what was skipped.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './support/runner/longest-first.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const inSupport = (name: string): string => fileURLToPath(new URL(`./support/runner/${name}`, import.meta.url));

/** Test files that need a container engine, outside of test/e2e. */
const engineFiles = ['test/integration/executor/docker-{fence,restart,runs}.test.ts', 'test/ports/*.docker.test.ts'];
const cliFiles = ['test/integration/{cli,cli-commands}/**/*.test.ts'];

interface Project {
  readonly name: string;
  readonly include: string[];
  readonly exclude?: string[];
  /** Whether each file gets a process and modules of its own. Without it a file starts ten times faster. */
  readonly isolate: boolean;
}

/** In the order in which they start: the tail of a run is made of short files, so that both workers stay busy. */
const projects: readonly Project[] = [
  // Processes and machines that are killed again and again.
  { name: 'storms', include: ['test/fault/**/*.test.ts'], isolate: true },
  // The built programs, a browser, an engine.
  { name: 'e2e', include: ['test/e2e/**/*.test.ts'], isolate: true },
  // An executor on a real engine.
  { name: 'engine-docker', include: engineFiles, isolate: true },
  // Commands in this process, against the built daemon.
  { name: 'cli', include: cliFiles, isolate: false },
  // Services over their real HTTP wall and store; processes of this machine.
  {
    name: 'integration',
    include: ['test/integration/**/*.test.ts', 'test/ports/**/*.test.ts'],
    exclude: [...engineFiles, ...cliFiles],
    isolate: false,
  },
  // Rules as tables.
  { name: 'unit', include: ['test/unit/**/*.test.ts'], isolate: false },
];

/** A polled condition fails by the time limit of vitest (1 s) on a busy machine, although it would hold a moment later. */
const expect = { poll: { timeout: 20_000, interval: 10 } };

export default defineConfig({
  root,
  test: {
    globalSetup: inSupport('global-setup.ts'),
    reporters: ['default', inSupport('skip-reporter.ts')],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: projects.map((project) => ({
      // Nothing is inherited (`extends`): the global setup would be, and would build the programs once per project.
      root,
      test: { ...project, testTimeout: 30_000, hookTimeout: 60_000, pool: 'forks', restoreMocks: true, expect },
    })),
  },
});
