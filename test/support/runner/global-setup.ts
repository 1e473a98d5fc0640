// Builds the programs once before the tests, so that the tests run the current code. `npm test` has done so before it starts vitest twice.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';

export default (): (() => void) => {
  if (process.env['ACTORCTL_TEST_RUN']) return () => undefined;
  execFileSync('npm', ['run', '--silent', 'build'], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const run = randomBytes(6).toString('hex');
  process.env['ACTORCTL_TEST_RUN'] = run;
  // There may be no engine, or no test may have made the image.
  return () => void spawnSync('docker', ['image', 'rm', '--force', `actorctl-test/base:${run}`], { stdio: 'ignore' });
};
