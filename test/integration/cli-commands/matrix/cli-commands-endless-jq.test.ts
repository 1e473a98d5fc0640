// An expression of --jq that does not end, in the built program.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { until } from '../../../support/daemon/daemon.ts';
import { createHome } from '../../../support/daemon/home.ts';
import { preloads } from '../../../support/preloads/preloads.ts';
import { describeIf, requirement } from '../../../support/runner/requirements.ts';

const program = fileURLToPath(new URL('../../../../dist/actorctl.cjs', import.meta.url));

/** Processor time in ticks of 10 ms. */
const ticksOf = (pid: number | undefined): number =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[11]);

describeIf(
  requirement('linux', process.platform === 'linux', 'processor time is read from /proc'),
  'endless jq',
  () => {
    it('is ended by Ctrl-C', async () => {
      const home = createHome();
      const child = spawn(process.execPath, [...preloads, program, 'context', 'list', '--jq', '[repeat(1)]'], {
        env: home.env,
        stdio: 'ignore',
      });
      const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
      // A command that is not held up has ended long before.
      await until(() => ticksOf(child.pid) > 100);
      child.kill('SIGINT');
      expect(await ended).toBe('SIGINT');
      rmSync(home.folder, { recursive: true });
    });
  },
);
