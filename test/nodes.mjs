// Runs the quick suite, the command line and the quickstart on every supported release line of Node, and both programs on two that are too
// old. The binaries come from the packages behind npm's `node`, installed into a temporary folder. Without network there is nothing to
// compare: it says so and ends with 0.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const LINES = ['22', '24', '26'];
/** Both entry points refuse these with one line. */
const REFUSED = ['18', '20.10'];
const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const quick = ['unit', 'integration', 'cli'].flatMap((project) => ['--project', project]);

// npm may need it to reach the registry; the tests, which talk to the loopback alone, must not depend on it.
const { NODE_EXTRA_CA_CERTS: _certificates, ...environment } = process.env;

const run = (file, args, options = {}) =>
  spawnSync(file, args, { cwd: root, stdio: 'inherit', ...options }).status === 0;

const registryAnswers = () => run('npm', ['ping'], { stdio: 'ignore', timeout: 30_000 });

/** Installs a release line; returns the folder of its binary, or undefined if the registry refuses. */
const install = (line, folder) => {
  // The package `node` fetches this one by an install script, which npm may be configured not to run.
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `${name}@${line}`];
  if (!run('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] })) return undefined;
  return path.join(folder, 'node_modules', name, 'bin');
};

/** Calls a test with the folder of a release line's binary. Returns what failed. */
const withNode = (line, test) => {
  const folder = mkdtempSync(path.join(tmpdir(), `actorctl-node-${line}-`));
  chmodSync(folder, 0o755); // tests of root run this node as another user
  try {
    const bin = install(line, folder);
    return bin === undefined ? `Node ${line}: not installed` : test(bin);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const refusedOn = (line) =>
  withNode(line, (bin) => {
    for (const program of ['actorctl', 'actorctld']) {
      const file = path.join(root, 'dist', `${program}.cjs`);
      const { status, stderr } = spawnSync(path.join(bin, 'node'), [file], { encoding: 'utf8' });
      if (status !== 1 || !/^error: actorctl needs Node .*\n$/.test(stderr))
        return `Node ${line}: ${program} does not say which version it needs`;
    }
    return undefined;
  });

const testOn = (line) =>
  withNode(line, (bin) => {
    const node = path.join(bin, 'node');
    // Children start `node` too: actors, npm scripts, shebangs.
    const env = { ...environment, PATH: `${bin}${path.delimiter}${environment.PATH}` };
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    console.log(`\n== Node ${stdout.trim()} ==`);
    if (!run(node, [vitest, 'run', '--config', 'test/vitest.config.ts', ...quick], { env }))
      return `Node ${line}: tests failed`;
    if (!run(node, ['examples/quickstart.mjs'], { env })) return `Node ${line}: the quickstart failed`;
    return undefined;
  });

if (!registryAnswers()) {
  console.log('test:nodes skipped: the npm registry cannot be reached, and the binaries of Node come from it');
} else {
  const failures = [...LINES.map(testOn), ...REFUSED.map(refusedOn)].filter((failure) => failure !== undefined);
  console.log(failures.length === 0 ? `\nAll tests passed on Node ${LINES.join(', ')}` : `\n${failures.join('\n')}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
