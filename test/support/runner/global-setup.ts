// Builds the programs once before the tests, so that the tests run the current code, and stops the shared daemons after them.
// `npm test` has built before it starts vitest twice.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Stops the daemons of `shared-home.ts`, whose homes the files in the folder name. */
const stopDaemons = (kept: string): void => {
  for (const name of readdirSync(kept)) {
    const home = readFileSync(join(kept, name), 'utf8');
    const env = { ...process.env, ACTORCTL_HOME: home };
    spawnSync(process.execPath, [join(root, 'dist/actorctl.cjs'), 'down', '--kill-actors'], { env, stdio: 'ignore' });
    rmSync(home, { recursive: true, force: true });
  }
  rmSync(kept, { recursive: true });
};

export default (): (() => void) => {
  const kept = mkdtempSync(join(tmpdir(), 'actorctl-kept-'));
  process.env['ACTORCTL_TEST_KEPT'] = kept;
  if (process.env['ACTORCTL_TEST_RUN']) return () => stopDaemons(kept);
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const run = randomBytes(6).toString('hex');
  process.env['ACTORCTL_TEST_RUN'] = run;
  return () => {
    stopDaemons(kept);
    // There may be no engine, or no test may have made the image.
    spawnSync('docker', ['image', 'rm', '--force', `actorctl-test/base:${run}`], { stdio: 'ignore' });
  };
};
