// Benchmark: start time of the command line, compared with node doing nothing.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createHome } from '../support/daemon/home.ts';
import { inTurn, type Outcome } from './figures.ts';

const ROUNDS = 15;
const PROGRAM = fileURLToPath(new URL('../../dist/actorctl.cjs', import.meta.url));

/** Wall time of the whole process, for `--version` and for a request to a running daemon. */
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
    const common = { unit: 'ms', against: 'node -e 0', floor: of.node } as const;
    return [
      { what: 'actorctl --version', ours: of.version, ...common, goal: { of: 'ratio', atMost: 1.5 } },
      { what: 'actorctl actors list', ours: of.list, ...common, goal: { of: 'ratio', atMost: 2 } },
    ];
  } finally {
    await home.remove();
  }
};
