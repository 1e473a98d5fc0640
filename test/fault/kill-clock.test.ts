// The daemon is killed with -9 while its virtual clock is moved: no cron message is lost, and none is sent twice.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from '../../daemon/store/store.ts';
import { identityOf } from '../../src/local/process-identity.ts';
import { NO_ENGINE } from '../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../support/daemon/home.ts';
import { killedAtWrite } from '../support/store/killed-at-write.ts';
import { rememberingLogger } from '../support/store/store-fixtures.ts';

const HOUR = 3_600_000;
const FROM = Date.parse('2030-01-01T00:00:00Z');
const TO = Date.parse('2031-01-01T00:00:00Z');

let home: Home;
beforeEach(() => {
  home = inProcessHome(NO_ENGINE);
});
afterEach(() => home.remove());

/** The stored clock and the scheduled times of the messages, in their order, read while no daemon runs. */
const stored = async () => {
  const store = await openStore({
    folder: `${home.folder}/data/default`,
    clock: { now: () => TO },
    logger: rememberingLogger(),
  });
  const messages = [...store.all('messages')].sort((one, two) => one.sequence - two.sequence);
  const clock = store.get('meta', 'instance')?.clock;
  await store.close();
  return { clock, times: messages.map(({ cron }) => cron?.scheduledAt) };
};

/** Every hour after the first instant, up to another one. */
const hoursUntil = (last: number): readonly number[] =>
  Array.from({ length: (last - FROM) / HOUR }, (_, index) => FROM + (index + 1) * HOUR);

/** The messages of one transaction of an advance, see clock-control.ts. */
const BATCH = 250;

/** Starts a daemon with an hourly actor, which dies at the write of this instant during an advance by a year. */
const killedDuringAdvance = async (when: 'before' | 'after', instant: number): Promise<void> => {
  const env = { ...home.env, ...killedAtWrite(home.folder, when, new RegExp(`"clock":\\{[^}]*"at":${instant}\\b`)) };
  const up = await home.cli(['up', '--port', 'auto', '--login', '--virtual-clock', '2030-01-01'], { env });
  expect(up).toMatchObject({ code: 0 });
  const pid = home.pid();
  // The image is never pulled, so the messages wait.
  await home.json('actors', 'create', 'nowhere/image', '--name', 'hourly', '--cron', '@hourly');
  expect((await home.cli(['clock', 'advance', '1y'])).code).toBe(9);
  // No thread of it writes any more.
  await expect.poll(() => identityOf(pid ?? 0).processStart).toBe('');
};

it.each([
  ['before', 5, 4],
  ['after', 5, 5],
] as const)(
  'a daemon killed %s the write of step %i of an advance continues with its clock at the end of step %i',
  async (when, named, last) => {
    const at = FROM + last * BATCH * HOUR;
    await killedDuringAdvance(when, FROM + named * BATCH * HOUR);
    expect(await stored()).toEqual({ clock: { from: FROM, at, target: TO }, times: hoursUntil(at) });

    await home.json('up', '--port', 'auto');
    const iso = new Date(at).toISOString();
    expect(await home.json('clock', 'show')).toMatchObject({ time: iso, target: '2031-01-01T00:00:00.000Z' });
    const goOn =
      'an advance of the clock to 2031-01-01T00:00:00Z was interrupted. To continue: actorctl clock set 2031-01-01T00:00:00Z';
    expect((await home.cli(['status'])).stdout).toContain(`problem   ${goOn}`);
    expect(await home.json('clock', 'set', '2031-01-01')).toMatchObject({ fired: 8760 - last * BATCH });
    await home.json('down');
    expect(await stored()).toEqual({ clock: { from: FROM, at: TO }, times: hoursUntil(TO) });
  },
  60_000,
);

it('a daemon killed after the last write of an advance, but before its response, has completed the advance', async () => {
  await killedDuringAdvance('after', TO);
  expect(await stored()).toEqual({ clock: { from: FROM, at: TO }, times: hoursUntil(TO) });

  await home.json('up', '--port', 'auto');
  expect(await home.json('clock', 'show')).toMatchObject({ time: new Date(TO).toISOString() });
  expect((await home.cli(['status'])).stdout).not.toContain('was interrupted');
});
