// Builds the programs once before the tests, so that what is tested is what is in the tree.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export default (): void => {
  execFileSync('npm', ['run', '--silent', 'build'], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
};
