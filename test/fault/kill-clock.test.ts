// The daemon is killed with -9 while its virtual clock is moved: no cron message is lost, and none is sent twice.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from '../../daemon/store/store.ts';
import { NO_ENGINE } from '../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../support/daemon/home.ts';
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

it('a killed daemon continues with its clock where the last stored message left it', { timeout: 60_000 }, async () => {
  await home.up('--virtual-clock', '2030-01-01');
  // The image is never pulled, so the messages wait.
  await home.json('actors', 'create', 'nowhere/image', '--name', 'hourly', '--cron', '@hourly');
  const advance = home.start(['clock', 'advance', '1y']);
  for (let time = FROM; time === FROM; ) time = Date.parse((await home.json<{ time: string }>('clock', 'show')).time);
  await home.kill();
  expect((await advance.ended).code).toBe(9);

  const killed = await stored();
  const { at = 0 } = killed.clock ?? {};
  expect(killed.clock).toEqual({ from: FROM, at, target: TO });
  expect([at > FROM, at < TO]).toEqual([true, true]);
  expect(killed.times).toEqual(hoursUntil(at));

  await home.json('up', '--port', 'auto');
  const iso = new Date(at).toISOString();
  expect(await home.json('clock', 'show')).toMatchObject({ time: iso, target: '2031-01-01T00:00:00.000Z' });
  const goOn =
    'an advance of the clock to 2031-01-01T00:00:00Z was interrupted. To go on: actorctl clock set 2031-01-01T00:00:00Z';
  expect((await home.cli(['status'])).stdout).toContain(`problem   ${goOn}`);
  expect(await home.json('clock', 'set', '2031-01-01')).toMatchObject({ fired: 8760 - killed.times.length });
  await home.json('down');
  expect(await stored()).toEqual({ clock: { from: FROM, at: TO }, times: hoursUntil(TO) });
});
