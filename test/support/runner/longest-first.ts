// The order of test files: projects as the configuration lists them, and in each project the files that are known to be long first.
import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than 5 seconds, the longest first; measured, see docs/testing.md. */
const LONG: readonly string[] = [
  'kill-daemon',
  'events-storm',
  'readme',
  'daemon-life',
  'cli-up',
  'cli-keychain',
  'bad-input.docker',
  'browser-forms',
  'authorize-restart',
  'engine-away',
  'browser-flows',
  'actors-build.docker',
  'links.docker',
  'state.docker',
  'docker-runs',
  'executor.docker',
  'docker-restart',
  'actor-service-model',
  'engine-crash',
  'bad-values',
  'permission-matrix',
  'floors',
  'actor-service-concurrency',
  'bad-names',
  'cli-matrix',
  'cli-auth',
  'cli-credentials',
  'cli-events-tail',
  'cli-login',
  'cli-process',
  'cli-stream',
  'executor.process',
  'process-fence',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = LONG.indexOf(basename(moduleId).replace(/\.test\.ts$/, ''));
  return at === -1 ? LONG.length : at;
};

/** A sequencer that does not depend on an earlier run, as the one of vitest does. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = this.ctx.projects.map(({ name }) => name);
    return files.toSorted(
      (a, b) =>
        order.indexOf(a.project.name) - order.indexOf(b.project.name) ||
        rank(a) - rank(b) ||
        a.moduleId.localeCompare(b.moduleId),
    );
  }
}
