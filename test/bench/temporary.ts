// Benchmark: a command with a temporary instance, compared with the start and the stop of an ephemeral daemon.
import { spawnSync } from 'node:child_process';
import { createHome, program } from '../support/daemon/home.ts';
import { inTurn, type Outcome } from './figures.ts';

const ROUNDS = 9;

/** Wall time of the whole processes. */
export const temporary = async (): Promise<Outcome> => {
  const home = createHome({ NODE_OPTIONS: '' });
  try {
    const run = (...lines: readonly (readonly string[])[]): Promise<number> => {
      const begun = performance.now();
      for (const args of lines) {
        const { status } = spawnSync(process.execPath, [program, ...args], { env: home.env, stdio: 'ignore' });
        if (status !== 0) throw new Error(`actorctl ${args.join(' ')} ended with ${status}`);
      }
      return Promise.resolve(performance.now() - begun);
    };
    const of = await inTurn(
      {
        ours: () => run(['exec', '--no-project', '--', 'true']),
        baseline: () => run(['up', '--ephemeral', '--port', 'auto'], ['down']),
      },
      ROUNDS,
    );
    const against = 'up --ephemeral, down';
    return [{ what: 'actorctl exec -- true', unit: 'ms', ...of, against, goal: { of: 'ratio', atMost: 1.1 } }];
  } finally {
    await home.remove();
  }
};
