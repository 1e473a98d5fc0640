// Benchmark: the time of a command, compared with node doing nothing. A daemon runs.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createHome } from '../support/daemon/home.ts';
import { inTurn, type Outcome } from './figures.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/actorctl.cjs', import.meta.url));
const ROUNDS = 25;
/** Node 22 and later cache compiled code, so a command may be faster there. */
const HAS_CACHE = Number(process.versions.node.split('.')[0]) >= 22;

/** Wall time of the whole process. */
export const commandLine = async (): Promise<Outcome> => {
  const home = createHome({ NODE_OPTIONS: '' });
  try {
    await home.up();
    const run = (...args: string[]) => {
      const begun = performance.now();
      const { status } = spawnSync(process.execPath, args, { env: home.env, stdio: 'ignore' });
      const ms = performance.now() - begun;
      if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`);
      return Promise.resolve(ms);
    };
    const of = await inTurn(
      {
        version: () => run(PROGRAM, '--version'),
        list: () => run(PROGRAM, 'actors', 'list'),
        node: () => run('-e', '0'),
      },
      ROUNDS,
      2,
    );
    const row = { unit: 'ms', against: 'node -e 0', baseline: of.node } as const;
    const [version, list] = HAS_CACHE ? [1.4, 2.3] : [1.6, 3];
    return [
      { ...row, what: 'actorctl --version', ours: of.version, goal: { of: 'ratio', atMost: version } },
      { ...row, what: 'actorctl actors list', ours: of.list, goal: { of: 'ratio', atMost: list } },
    ];
  } finally {
    await home.remove();
  }
};
