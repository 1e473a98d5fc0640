// How the tests run: one project per kind of test, long files first, and a closing line that names what was skipped. `npm test` runs this
// twice, with the projects that wait beside those that compute (test/all.mjs), and `npm run check` once more for each other kind of test.
import { accessSync, constants } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { POLL_LIMIT_MS, TEST_LIMIT_MS } from './support/runner/limits.ts';
import { LongestFirst } from './support/runner/longest-first.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const inSupport = (name: string): string => fileURLToPath(new URL(`./support/runner/${name}`, import.meta.url));

/** Fails a test during which the process of vitest warned. */
const noWarnings = inSupport('no-warnings.ts');

/** Test files that need a container engine, outside of test/e2e. */
const engineFiles = [
  'test/integration/executor/docker-{disk,fence,groups,networks,restart,runs,starts}.test.ts',
  'test/ports/*.docker.test.ts',
];
/** Test files of containers that run on Podman too. */
const podmanFiles = [
  'test/ports/executor.docker.test.ts',
  'test/e2e/actors/{actors-build,actors-deploy,instances,links,results,state}.docker.test.ts',
  'test/e2e/engine/{isolation,reach,shell}.docker.test.ts',
  'test/fault/kill-daemon.test.ts',
  'test/engines/*.podman.test.ts',
];
/** Test files of containers that run on an engine without root, as its user. */
const rootlessFiles = [
  'test/ports/executor.docker.test.ts',
  'test/e2e/actors/{links,results,state}.docker.test.ts',
  'test/e2e/engine/{isolation,reach,shell}.docker.test.ts',
  'test/fault/kill-daemon.test.ts',
  'test/engines/*.rootless.test.ts',
];
const rootlessKillFiles = ['test/engines/kills.rootless.test.ts'];
/** Test files that need a swarm. `npm run test:engines` runs them, `npm test` does not. */
const swarmFiles = ['test/ports/executor.swarm.test.ts', 'test/engines/*.swarm.test.ts'];
const crashFiles = ['test/fault/{kill-daemon,events-crash,store-kill}.test.ts'];
const cliFiles = ['test/integration/{cli,cli-commands,cli-daemon,cli-login,cli-project}/**/*.test.ts'];
const browserFiles = ['test/e2e/login/browser-*.test.ts'];
/** Test files that try many combinations or random sequences. */
const sweepFiles = [
  'test/integration/actors/{actor-service-concurrency,actor-service-model}.test.ts',
  'test/integration/search/actors-search-cost.test.ts',
  'test/integration/contract/{bad-names,bad-values,permission-matrix}.test.ts',
  'test/integration/scheduler/scheduler-crash.test.ts',
  'test/integration/http/http-fuzz.test.ts',
  'test/integration/oauth/oauth-bad-input.test.ts',
  'test/integration/store/store-property.test.ts',
];

/** The temporary folder of tests in which no disk is the subject: in memory, where a write need not wait for a disk. */
const inMemory = (): Record<string, string> => {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return { TMPDIR: '/dev/shm' };
  } catch {
    return {};
  }
};

// How many files run at a time, on two cores. Vitest demands a group for each number; groups run one after the other.
const oneByOne = { maxWorkers: 1, sequence: { groupOrder: 1 } };
/** Most of the time of a file is a wait for an engine, a browser, a daemon or the end of a program. */
const waiting = { maxWorkers: 4, sequence: { groupOrder: 2 } };
/**
 * A file computes most of the time, and each worker loads the modules anew, which takes two seconds of a processor. In
 * `npm test` these files run beside those that wait; alone, a third worker fills the pauses of the others.
 */
const computing = {
  maxWorkers: process.env['ACTORCTL_TEST_BESIDE'] === undefined ? 3 : 2,
  sequence: { groupOrder: 3 },
};

/** After the files that start containers: Chromium ends its connections when a network of the machine comes or goes. */
const afterContainers = { maxWorkers: 2, sequence: { groupOrder: 4 } };

interface Project {
  readonly name: string;
  readonly include: string[];
  readonly exclude?: string[];
  /** Whether each file gets a process and modules of its own. Without it a file starts ten times faster. */
  readonly isolate: boolean;
  readonly env?: Record<string, string>;
  readonly globalSetup?: string;
  readonly setupFiles?: string[];
  readonly maxWorkers?: number;
  readonly sequence?: { readonly groupOrder: number };
}

/** In a group, in the order in which they start: its tail is made of short files, so that all workers stay busy. */
const projects: readonly Project[] = [
  // Daemons that are killed a hundred times under load. `npm run test:crash` runs them, `npm test` does not.
  { name: 'crash', include: crashFiles, isolate: true },
  // The same actors and the same executor on Podman, with fewer kills. `npm run test:engines` runs it.
  {
    name: 'engines-podman',
    include: podmanFiles,
    isolate: true,
    globalSetup: inSupport('podman-setup.ts'),
    setupFiles: [inSupport('use-podman.ts')],
    env: { ACTORCTL_TEST_KILLS: '4' },
  },
  // The same on engines that run without root.
  ...['podman', 'docker'].map((kind) => ({
    name: `engines-rootless-${kind}`,
    include: rootlessFiles,
    exclude: rootlessKillFiles,
    isolate: true,
    globalSetup: inSupport('rootless-setup.ts'),
    setupFiles: [inSupport('use-rootless.ts')],
    env: { ACTORCTL_TEST_KILLS: '4' },
  })),
  // The service of such an engine is killed, so its tests have an engine of their own.
  ...['podman', 'docker'].map((kind) => ({
    name: `engines-rootless-${kind}-kills`,
    include: rootlessKillFiles,
    isolate: true,
    globalSetup: inSupport('rootless-setup.ts'),
    setupFiles: [inSupport('use-rootless.ts')],
  })),
  // The same executor suite on a swarm whose nodes are killed.
  { name: 'engines-swarm', include: swarmFiles, isolate: false, ...oneByOne, globalSetup: inSupport('swarm-setup.ts') },
  // The dashboard in a real browser. `npm run test:dashboard` runs it, `npm test` does not.
  { name: 'dashboard', include: ['test/dashboard/**/*.test.ts'], isolate: false },
  // An executor on a real engine: few files, the longest of all.
  { name: 'engine-docker', include: engineFiles, isolate: false, setupFiles: [noWarnings], ...waiting },
  // The built programs, an engine.
  {
    name: 'e2e',
    include: ['test/e2e/**/*.test.ts'],
    exclude: browserFiles,
    isolate: false,
    setupFiles: [noWarnings],
    ...waiting,
  },
  // The pages of the daemon in a real browser.
  { name: 'browser', include: browserFiles, isolate: false, ...afterContainers },
  // Commands in this process, against the built daemon.
  { name: 'cli', include: cliFiles, isolate: false, env: inMemory(), setupFiles: [noWarnings], ...waiting },
  // Full disks, torn journals, killed processes.
  {
    name: 'faults',
    include: ['test/fault/**/*.test.ts'],
    exclude: crashFiles,
    isolate: true,
    env: inMemory(),
    setupFiles: [noWarnings],
    ...waiting,
  },
  // Every combination of a table, and random sequences against a model.
  { name: 'sweeps', include: sweepFiles, isolate: false, env: inMemory(), setupFiles: [noWarnings], ...computing },
  // Services over their real HTTP layer and store; processes of this machine.
  {
    name: 'integration',
    include: ['test/integration/**/*.test.ts', 'test/ports/**/*.test.ts'],
    exclude: [...engineFiles, ...swarmFiles, ...cliFiles, ...sweepFiles],
    isolate: false,
    env: inMemory(),
    setupFiles: [noWarnings],
    ...computing,
  },
  // The tests of cookies, redirects and statuses once more, at the https listener for programs of the hosted platform, where these differ.
  // The rules of grants and the validation of parameters do not depend on the listener.
  {
    name: 'integration-https',
    include: [
      'test/integration/oauth/authorize-{code,flow,forms,implicit,login,session}.test.ts',
      'test/integration/oauth/oauth-{revoke,token}.test.ts',
      'test/integration/contract/spec-examples.authorization.test.ts',
    ],
    isolate: false,
    env: { ...inMemory(), ACTORCTL_TEST_LISTENER: 'https' },
    setupFiles: [noWarnings],
    ...computing,
  },
  // Rules as tables.
  { name: 'unit', include: ['test/unit/**/*.test.ts'], isolate: false, setupFiles: [noWarnings], ...computing },
];

const expect = { poll: { timeout: POLL_LIMIT_MS, interval: 10 } };

export default defineConfig({
  root,
  test: {
    globalSetup: inSupport('global-setup.ts'),
    reporters: ['default', inSupport('closing-lines.ts')],
    // The other projects wait half of their time.
    maxWorkers: 4,
    // Projects share many modules. A transformed module is kept on the disk, for the other projects and for the next run.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    projects: projects.map((project) => ({
      // What a project inherits includes the global setup, which would build the programs once per project.
      root,
      test: {
        ...project,
        testTimeout: TEST_LIMIT_MS,
        hookTimeout: TEST_LIMIT_MS,
        pool: 'forks',
        restoreMocks: true,
        expect,
      },
    })),
  },
});
