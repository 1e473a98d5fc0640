// Runs the quick suite and the quickstart on every supported release line of Node. The binaries come from npm's package `node`,
// installed into a temporary folder. Without network there is nothing to compare: it says so and ends with 0.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const LINES = ['22', '24'];
const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const quick = ['unit', 'integration', 'cli'].flatMap((project) => ['--project', project]);

const environment = { ...process.env };
delete environment.NODE_EXTRA_CA_CERTS;

const run = (file, args, options = {}) =>
  spawnSync(file, args, { cwd: root, stdio: 'inherit', env: environment, ...options }).status === 0;

const registryAnswers = () => run('npm', ['ping'], { stdio: 'ignore', timeout: 30_000 });

/** Installs a release line; returns the folder of its binary, or undefined if the registry refuses. */
const install = (line, folder) => {
  const args = [
    'install',
    '--prefix',
    folder,
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--foreground-scripts',
    `node@${line}`,
  ];
  if (!run('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] })) return undefined;
  // The package `node` depends on one package per platform, which holds the binary.
  const modules = path.join(folder, 'node_modules');
  const platform = readdirSync(modules).find((name) => /^node-/.test(name));
  return path.join(modules, platform ?? 'node', 'bin');
};

const testOn = (line) => {
  const folder = mkdtempSync(path.join(tmpdir(), `actorctl-node-${line}-`));
  try {
    const bin = install(line, folder);
    if (bin === undefined) return `Node ${line}: not installed`;
    const node = path.join(bin, 'node');
    // Children start `node` too: actors, npm scripts, shebangs.
    const env = { ...environment, PATH: `${bin}${path.delimiter}${environment.PATH}` };
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    console.log(`\n== Node ${stdout.trim()} ==`);
    if (!run(node, [vitest, 'run', '--config', 'test/vitest.config.ts', ...quick], { env }))
      return `Node ${line}: tests failed`;
    if (!run(node, ['examples/quickstart.mjs'], { env })) return `Node ${line}: the quickstart failed`;
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

if (!registryAnswers()) {
  console.log('test:nodes skipped: the npm registry cannot be reached, and the binaries of Node come from it');
} else {
  const failures = LINES.map(testOn).filter((failure) => failure !== undefined);
  console.log(failures.length === 0 ? `\nAll tests passed on Node ${LINES.join(' and ')}` : `\n${failures.join('\n')}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
