// Builds the programs once before the tests, so that the tests run the current code, and stops the shared daemons after them.
// `npm test` has built before it starts vitest twice.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Stops the daemons of `shared-home.ts`, whose homes the files in `homes` name, and removes the folder. A second call
 * does nothing.
 */
const stopDaemons = (kept: string): void => {
  if (!existsSync(kept)) return;
  const homes = join(kept, 'homes');
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('ACTORCTL_'));
  for (const name of readdirSync(homes)) {
    const home = readFileSync(join(homes, name), 'utf8');
    const env = { ...Object.fromEntries(outside), ACTORCTL_HOME: home };
    const program = join(root, 'dist/actorctl.cjs');
    const { status } = spawnSync(process.execPath, [program, 'down', '--halt-executions'], { env, stdio: 'ignore' });
    if (status === 0) rmSync(home, { recursive: true, force: true });
    else process.stderr.write(`a daemon of the tests may still run: ACTORCTL_HOME=${home} actorctl down\n`);
  }
  rmSync(kept, { recursive: true });
};

export default (): (() => void) => {
  const isBuilt = process.env['ACTORCTL_TEST_RUN'] !== undefined;
  if (!isBuilt)
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const kept = mkdtempSync(join(tmpdir(), 'actorctl-kept-'));
  mkdirSync(join(kept, 'homes'));
  process.env['ACTORCTL_TEST_KEPT'] = kept;
  // An interrupted vitest exits without the teardown.
  process.once('exit', () => stopDaemons(kept));
  if (isBuilt) return () => stopDaemons(kept);
  const run = randomBytes(6).toString('hex');
  process.env['ACTORCTL_TEST_RUN'] = run;
  return () => {
    stopDaemons(kept);
    // There may be no engine, or no test may have built the image.
    spawnSync('docker', ['image', 'rm', '--force', `actorctl-test/base:${run}`], { stdio: 'ignore' });
  };
};
