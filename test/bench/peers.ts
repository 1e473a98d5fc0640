// Benchmark: start time of the command line, compared with other command lines, which are installed for this run only.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { plainEnvironment, temporaryHome } from './daemon.ts';
import { inTurn, type Outcome } from './figures.ts';

const ROUNDS = 7;
const INSTALL_MS = 120_000;
const PROGRAM = fileURLToPath(new URL('../../dist/actorctl.cjs', import.meta.url));
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** Package and the name of its program. */
const peers = [
  { name: 'apify-cli', command: 'apify' },
  { name: 'firebase-tools', command: 'firebase' },
  { name: 'wrangler', command: 'wrangler' },
] as const;

interface Installed {
  readonly label: string;
  readonly program: string;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Installs the package without its install scripts. Resolves with its program, or with the reason why it cannot. */
const install = async (parent: string, { name, command }: (typeof peers)[number]): Promise<Installed | string> => {
  const folder = path.join(parent, name);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', name];
  const certificates = existsSync(CERTIFICATES) ? { NODE_EXTRA_CA_CERTS: CERTIFICATES } : {};
  const env = { ...plainEnvironment(), NODE_ENV: 'development', ...certificates };
  const child = spawn('npm', args, { cwd: folder, env, stdio: 'ignore', timeout: INSTALL_MS });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) return `npm cannot install ${name}`;
  const home = path.join(folder, 'node_modules', name);
  const manifest: unknown = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8'));
  const bin = fieldOf(manifest, 'bin');
  const file = typeof bin === 'string' ? bin : fieldOf(bin, command);
  if (typeof file !== 'string') return `${name} has no program "${command}"`;
  return { label: `${command} --version (${String(fieldOf(manifest, 'version'))})`, program: path.join(home, file) };
};

/** Wall time of `--version` of each program. */
export const startOfPeers = async (): Promise<Outcome> => {
  const home = temporaryHome();
  try {
    const without: string[] = [];
    const installed: Installed[] = [];
    for (const peer of peers) {
      const made = await install(home.folder, peer);
      if (typeof made === 'string') without.push(made);
      else installed.push(made);
    }
    const env = { ...plainEnvironment(), HOME: home.folder, CI: '1' };
    const run = (program: string) => async (): Promise<number> => {
      const begun = performance.now();
      const { status } = spawnSync(process.execPath, [program, '--version'], {
        cwd: home.folder,
        env,
        stdio: 'ignore',
      });
      const ms = performance.now() - begun;
      if (status !== 0) throw new Error(`${program} --version ended with ${status}`);
      return ms;
    };
    if (installed.length === 0) return { skipped: without.join(', ') };
    const sides = Object.fromEntries(installed.map(({ label, program }) => [label, run(program)]));
    const of = await inTurn<string>({ ...sides, ours: run(PROGRAM) }, ROUNDS, 1);
    const { ours } = of;
    if (ours === undefined) return { skipped: 'nothing was measured' };
    const rows = installed.flatMap(({ label }) => {
      const floor = of[label];
      return floor === undefined ? [] : [{ what: 'actorctl --version', unit: 'ms', ours, against: label, floor }];
    });
    return { rows, without };
  } finally {
    home.remove();
  }
};
