// `up --data-dir` with a folder that a daemon of another home or instance holds.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { inProcessHome } from '../../support/daemon/home.ts';

it('the error names the holder of the folder and a line that stops it', async () => {
  const [holder, home] = [inProcessHome(NO_ENGINE), inProcessHome(NO_ENGINE)];
  onTestFinished(holder.remove);
  onTestFinished(home.remove);
  const folder = path.join(holder.folder, 'shared');
  const up = (...flags: string[]) => home.cli(['up', '--port', 'auto', '--data-dir', folder, ...flags]);
  const { pid } = await holder.up('--data-dir', folder);
  const { code, stderr } = await up();
  expect(code).toBe(9);
  expect(stderr).toContain(`in use by process ${pid} (instance default, state folder ${holder.folder}/state/default,`);
  expect(stderr).toContain(`hint: to stop that daemon: kill ${pid}. Or choose another folder with --data-dir\n`);
  spawnSync('sh', ['-c', /kill \d+/.exec(stderr)?.[0] ?? '']);
  await expect.poll(async () => (await holder.cli(['status'])).stdout).toContain('daemon    stopped');
  expect((await up()).code).toBe(0);
  const { stderr: beside } = await up('--instance', 'b');
  expect(beside).toContain('try: actorctl down --instance default\n');
});
