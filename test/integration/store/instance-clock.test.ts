// The clock of a data folder: chosen at the first start, and unchanged by later starts and in a copy.
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openDataFolder } from '../../../daemon/app/data-folder.ts';
import { type DaemonConfig, resolveConfig } from '../../../daemon/config.ts';
import { rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

const FROM = Date.parse('2020-01-01T00:00:00Z');

/** Opens and closes a data folder as a daemon does, including its clock. */
const start = async (folder: string, clock?: DaemonConfig['clock']) => {
  const config = resolveConfig(['--data-dir', folder], { ACTORCTL_HOME: path.dirname(folder), HOME: '/root' });
  mkdirSync(config.paths.stateDir, { recursive: true });
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const opened = await openDataFolder(
      { ...config, ...(clock !== undefined && { clock }) },
      rememberingLogger(),
      closers,
      () => undefined,
    );
    const meta = opened.store.get('meta', 'instance');
    return { now: opened.clock.now(), machine: opened.machine.now(), virtual: opened.virtual, meta };
  } finally {
    for (const close of closers.reverse()) await close();
  }
};

it('an instance created with a virtual clock keeps it, and so does its copy', async () => {
  const parent = temporaryFolder();
  const [original, copy] = [path.join(parent, 'original'), path.join(parent, 'copy')];
  const made = await start(original, FROM);
  expect(made).toMatchObject({ now: FROM, meta: { createdAt: FROM, clock: { from: FROM, at: FROM } } });
  cpSync(original, copy, { recursive: true });
  for (const folder of [original, copy]) {
    expect(await start(folder)).toMatchObject({ now: FROM, meta: { clock: { from: FROM, at: FROM } } });
    await expect(start(folder, 'machine')).rejects.toMatchObject({ code: 'OTHER_CLOCK' });
  }
  expect((await start(copy)).meta?.instanceId).not.toBe(made.meta?.instanceId);
});

it('an instance created without a virtual clock always uses the clock of the machine', async () => {
  const folder = path.join(temporaryFolder(), 'data');
  const made = await start(folder);
  expect([made.virtual, made.meta?.clock, Math.abs(made.now - made.machine) < 60_000]).toEqual([
    undefined,
    undefined,
    true,
  ]);
  await expect(start(folder, 'virtual')).rejects.toMatchObject({ code: 'OTHER_CLOCK' });
  await expect(start(folder, FROM)).rejects.toMatchObject({ code: 'OTHER_CLOCK' });
  expect((await start(folder, 'machine')).meta).toEqual(made.meta);
});
