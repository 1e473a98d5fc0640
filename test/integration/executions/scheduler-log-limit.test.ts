// Logs beyond their size limit, when the daemon is killed or the run is lost.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildSchedulerHarness, type SchedulerHarness } from '../../support/engine/scheduler-harness.ts';

const LIMIT = /\[log size limit reached: .*\]\n/;
let harness: SchedulerHarness;
beforeEach(async () => {
  harness = await buildSchedulerHarness();
});
afterEach(() => harness.close());

/** An execution that has printed 1 500 000 characters, and prints `end` when `release` is called. */
const running = async () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  harness.world.images.set('talks', async ({ out, err }) => {
    out('x'.repeat(1_500_000));
    await released;
    err('end');
    return 0;
  });
  const id = await harness.send(await harness.actor({ image: 'talks' }));
  await expect.poll(async () => LIMIT.test(await harness.logs.read(id))).toBe(true);
  return { id, release };
};

it.each(['before', 'after'])('has its last part if the run ends %s the start of the next daemon', async (when) => {
  const { id, release } = await running();
  harness.daemon.knife.cut = true;
  if (when === 'before') release();
  await harness.restart();
  release();
  expect(await harness.final(id)).toMatchObject({ status: 'COMPLETE' });
  const text = await harness.logs.read(id);
  expect(
    text
      .replace(/^x{1000000}\n/, '')
      .replace(LIMIT, '')
      .replace(/x{262141}end$/, ''),
  ).toBe(`[at least ${500_003 - 256 * 1024} bytes left out]\n`);
});

it('survives a stop of the daemon as it is, and is ended by the daemon that sees the end', async () => {
  const { id, release } = await running();
  await harness.scheduler.stop({ deadlineMs: 1, haltExecutions: false });
  const before = await harness.logs.read(id);
  expect(before.endsWith('shown at the end]\n')).toBe(true);
  await harness.restart();
  release();
  await harness.final(id);
  const after = await harness.logs.read(id);
  expect(after.startsWith(before)).toBe(true);
  expect(after.endsWith('xend')).toBe(true);
});

it('says that the rest is not known if the run is lost', async () => {
  const { id } = await running();
  harness.daemon.knife.cut = true;
  harness.world.forget();
  await harness.restart();
  expect(await harness.final(id)).toMatchObject({ status: 'ERROR' });
  expect((await harness.logs.read(id)).replace(LIMIT, '')).toBe(
    `${'x'.repeat(1_000_000)}\n[the rest of the output is not known]\n`,
  );
  expect(await harness.logs.leftOut(id)).toBeNull();
});
