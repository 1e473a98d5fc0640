// The package that a user installs: its size, its contents, what it needs, and that it works without the clone.
import { execFile, spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockedPackages, nameIn, startNpmRegistry } from '../../support/local/npm-registry.ts';
import { cheapPasswords } from '../../support/preloads/preloads.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const MB = 1_000_000;

const folder = mkdtempSync(join(tmpdir(), 'actorctl-package-'));
const prefix = join(folder, 'prefix');
const installed = join(prefix, 'lib/node_modules/actorctl');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Manifest {
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const declared = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).sort();

/** All files below a folder, as paths relative to it. */
const filesIn = (where: string): string[] =>
  readdirSync(where, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !lstatSync(join(where, name)).isDirectory(),
  );

/** The packages that the files of a folder import by this pattern, whose last group is the name of a module. */
const importedBy = (where: string, name: RegExp, pattern: RegExp): string[] => {
  const modules = filesIn(where)
    .filter((file) => name.test(file))
    .flatMap((file) =>
      [...readFileSync(join(where, file), 'utf8').matchAll(pattern)].map((match) => match.at(-1) ?? ''),
    )
    .filter((module) => !/^[./]/.test(module) && !isBuiltin(module));
  return [...new Set(modules.map((module) => /^(@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? module))].sort();
};

const env = {
  PATH: process.env['PATH'],
  HOME: folder,
  XDG_RUNTIME_DIR: folder,
  TMPDIR: folder,
  ACTORCTL_PORT: 'auto',
  ACTORCTL_CREDENTIAL_STORE: 'file',
  NODE_OPTIONS: cheapPasswords.join(' '),
};

let tarball: { readonly filename: string; readonly size: number; readonly files: readonly { readonly path: string }[] };

beforeAll(async () => {
  // The tests have built already, and a build would replace the programs that other tests run.
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: root });
  [tarball] = JSON.parse(stdout) as [typeof tarball];
  const registry = await startNpmRegistry();
  // The install script of keytar fetches or compiles native code.
  const install = ['install', '--global', '--ignore-scripts', '--no-update-notifier', '--prefix', prefix];
  await run('npm', [...install, join(folder, tarball.filename)], {
    env: { ...env, npm_config_registry: registry.url },
  });
  registry.close();
});

describe('the package', () => {
  it('is at most 1.65 MB and contains no picture', () => {
    expect(tarball.size).toBeLessThanOrEqual(1.65 * MB);
    expect(tarball.files.filter(({ path }) => /\.(png|jpe?g|gif|webp)$/.test(path))).toEqual([]);
  });

  it('depends on exactly the packages that the built programs import', () => {
    const imported = importedBy(join(root, 'dist'), /\.cjs$/, /\b(?:require|import)\(\s*(["'`])([^"'`]+)\1/g);
    expect(imported).toEqual(declared);
  });

  it('contains the licence of each bundled package', () => {
    const notices = readFileSync(join(installed, 'dist/THIRD-PARTY-NOTICES'), 'utf8')
      .split(/^-{80}$/m)
      .slice(1);
    const named = notices.map((notice) => /^\s*(\S+) (\S+) \(.+\)\n/.exec(notice)?.slice(1) ?? []);
    const locked = lockedPackages().map(([where, { version }]) => `${nameIn(where)} ${version}`);
    expect(locked).toEqual(expect.arrayContaining(named.map((notice) => notice.join(' '))));
    expect(notices.filter((notice) => !/copyright|declares this licence/i.test(notice))).toEqual([]);
    const imports = /(?:^(?:import|export)(?! type)[^;]*? from |\bimport\()'([^']+)'/gm;
    const imported = ['bin', 'src', 'daemon'].flatMap((part) => importedBy(join(root, part), /\.tsx?$/, imports));
    const bundled = imported.filter((name) => !declared.includes(name));
    expect(bundled.length).toBeGreaterThan(20);
    expect(named.map(([name]) => name)).toEqual(expect.arrayContaining(bundled));
  });

  it('installs at most 60 packages and 10 MB, and one install script', async () => {
    const { stdout } = await run('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: installed, env });
    expect(stdout.trim().split('\n').length).toBeLessThanOrEqual(60);
    const sizes = filesIn(installed).map((file) => lstatSync(join(installed, file)).size);
    expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThanOrEqual(10 * MB);
    const scripts = lockedPackages().filter(([, { dev, hasInstallScript }]) => !dev && hasInstallScript);
    expect(scripts.map(([where]) => nameIn(where))).toEqual(['keytar']);
  });

  it('works from its installation folder, which is not a link to the clone', async () => {
    const program = join(prefix, 'bin/actorctl');
    expect(realpathSync(program)).toBe(realpathSync(join(installed, 'dist/actorctl.cjs')));
    const actor = join(folder, 'actor');
    mkdirSync(actor);
    writeFileSync(join(actor, 'main.sh'), 'echo "got: $MSG"\n');
    writeFileSync(join(actor, 'actor.json'), JSON.stringify({ command: ['sh', 'main.sh'] }));
    const actorctl = async (...args: string[]) => (await run(program, args, { cwd: folder, env })).stdout;
    await actorctl('up', '--login');
    try {
      await actorctl('actors', 'create', './actor', '--name', 'echo', '--wait');
      expect(await actorctl('run', 'echo', '-m', 'hello')).toContain('got: hello');
    } finally {
      await actorctl('down', '--halt-executions');
    }
  });
});

describe('a Node that cannot run the programs', () => {
  /** Makes a program see this Node version. */
  const versioned = (version: string): string => {
    const file = join(folder, `node-${version}.cjs`);
    const value = `{ value: { ...process.versions, node: '${version}' } }`;
    writeFileSync(file, `Object.defineProperty(process, 'versions', ${value});\n`);
    return file;
  };
  const start = (version: string, name: string) => {
    const args = ['--require', versioned(version), join(root, 'dist', name), '--version'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it.each(['16.20.2', '18.20.8', '20.10.0', '20.18.3', '21.7.3', '22.2.0'])(
    'exits with a one-line error: %s',
    (version) => {
      const stderr = `error: actorctl needs Node 22.3 or later, or Node 20 from 20.19; this is Node ${version}\n`;
      for (const name of ['actorctl.cjs', 'actorctld.cjs'])
        expect(start(version, name)).toEqual({ status: 1, stdout: '', stderr });
    },
  );

  it.each(['20.19.0', '22.3.0', '23.0.0', '26.1.0'])('does not include %s', (version) => {
    expect(start(version, 'actorctl.cjs')).toMatchObject({ status: 0, stderr: '' });
  });

  it('is excluded by the engines field of the package', () => {
    expect(manifest.engines.node).toBe('^20.19.0 || >=22.3.0');
  });
});
