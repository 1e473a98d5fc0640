// `npm test`: builds the programs, then runs the projects that wait (for an engine, a browser, a daemon, the end of a program) beside those
// that compute, each in a vitest of its own: one vitest would run such groups one after the other, and leave the processors idle in between.
// Arguments are passed on to both.
import { buildOnce, runSideBySide, vitest } from './side-by-side.mjs';

const GROUPS = [
  ['engine-docker', 'e2e', 'cli', 'faults', 'browser'],
  ['sweeps', 'integration', 'integration-https', 'unit'],
];

const removeImage = buildOnce();
const ended = await runSideBySide([
  GROUPS.map((projects) => [
    { name: projects.join(', '), command: vitest(projects), env: { ACTORCTL_TEST_BESIDE: '1' } },
  ]),
]);
removeImage();
if (ended.every(({ output }) => output().includes('No test files found'))) {
  console.log(`\nNo test file matches ${process.argv.slice(2).join(' ')}`);
  process.exitCode ||= 1;
}
