// The order of test files: projects as the configuration lists them, and in each project the files that are known to be long first.
import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than 5 seconds, the longest first; measured. */
const LONG: readonly string[] = [
  'kill-daemon',
  'events-crash',
  'docker-runs',
  'executor.docker',
  'docker-restart',
  'docker-fence',
  'engine-away',
  'cli-up',
  'cli-keychain',
  'bad-input.docker',
  'daemon-life',
  'actors-build.docker',
  'links.docker',
  'readme',
  'state.docker',
  'cli-daemon',
  'actors-check.docker',
  'actors-deploy.docker',
  'results.docker',
  'browser-forms',
  'browser-flows',
  'browser-pages',
  'wordcount',
  'authorize-restart',
  'actor-service-model',
  'engine-crash',
  'actor-service-concurrency',
  'bad-values',
  'permission-matrix',
  'bad-names',
  'cli-matrix',
  'cli-data',
  'cli-login',
  'cli-clock',
  'cli-restart',
  'cli-commands-logs',
  'layers',
  'tls-listener',
  'cli-auth',
  'cli-credentials',
  'cli-events-tail',
  'cli-process',
  'cli-stream',
  'docker-starts',
  'executor.process',
  'docker-disk',
  'executor.fake',
  'archive-restore',
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
