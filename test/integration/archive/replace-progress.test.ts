// A replacement of data reports progress in every long step, because a waiting client gives up without output.
import path from 'node:path';
import { expect, it } from 'vitest';
import { replaceData } from '../../../daemon/app/replace-data.ts';
import { type DaemonConfig, resolveConfig } from '../../../daemon/config.ts';
import { actorRecord } from '../../support/service/records.ts';
import { openData } from '../../support/store/archives.ts';
import { rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

const progressOf = async (dataDir: string, ...flags: readonly string[]): Promise<readonly number[]> => {
  const parts: number[] = [];
  const config = resolveConfig(['--data-dir', dataDir, ...flags], {});
  await replaceData(
    config as DaemonConfig & { replacement: NonNullable<DaemonConfig['replacement']> },
    rememberingLogger(),
    (part) => parts.push(part),
  );
  return parts;
};

/** A data folder with an actor, and an archive of it. */
const prepared = async () => {
  const folder = path.join(temporaryFolder(), 'data');
  const data = await openData(folder);
  await data.store.transact((tx) => tx.put('actors', actorRecord('a', { description: 'x'.repeat(10_000) })));
  const file = path.join(temporaryFolder(), 'all.tar.gz');
  await data.write(file);
  await data.store.close();
  return { folder, file };
};

it('a reset reports the progress of the snapshot of the old data', async () => {
  const { folder } = await prepared();
  expect((await progressOf(folder, '--reset')).at(-1)).toBe(1);
});

it('a restore reports the progress of the new data, and then of the snapshot of the old data', async () => {
  const { folder, file } = await prepared();
  const parts = await progressOf(folder, '--import', file, '--replace');
  expect(parts).toContain(0.5);
  expect(parts).toEqual([...parts].sort((a, b) => a - b));
  expect(parts.at(-1)).toBe(1);
  const empty = await progressOf(path.join(temporaryFolder(), 'data'), '--import', file);
  expect([empty.length > 0, empty.at(-1)]).toEqual([true, 1]);
});
