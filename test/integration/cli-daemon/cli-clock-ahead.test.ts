// Data with a time after the machine's clock, as after a correction of that clock.
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { inProcessHome } from '../../support/daemon/home.ts';
import { openData } from '../../support/store/archives.ts';

const home = inProcessHome(NO_ENGINE);
afterAll(() => home.remove());

it('status shows how far records are ahead, and doctor names a command that sets the time', async () => {
  await home.up();
  expect(await home.json('status')).toMatchObject({ daemon: { clock_ahead_ms: 0 } });
  await home.cli(['down']);
  const later = Date.now() + 3_600_000;
  const { store } = await openData(join(home.folder, 'data', 'default'), { clock: { now: () => later } });
  await store.transact((tx) => {
    for (const user of tx.all('users')) tx.put('users', user);
  });
  await store.close();
  await home.up();
  const { stdout } = await home.cli(['status']);
  expect(stdout).toMatch(/\nclock {5}records are .+ ahead of this machine, whose clock was set back; schedules follow/);
  const { checks } = JSON.parse((await home.cli(['doctor', '--json'])).stdout) as {
    checks: readonly { name: string; fix: string | null }[];
  };
  expect(checks.find(({ name }) => name === 'clock')?.fix).toMatch(/^if that is wrong: sudo (timedatectl|date|sntp) /);
});
