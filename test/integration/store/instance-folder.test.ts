// The id of a data folder, and what its copy must not touch.
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { instanceIdOf, runsFolderOf } from '../../../daemon/app/instance-id.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { handClock, rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

const clock = handClock();

/** Opens the store of a data folder, and returns the id of the folder. */
const idOf = async (folder: string): Promise<string> => {
  const logger = rememberingLogger();
  const store = await openStore({ folder, clock, logger });
  const id = await instanceIdOf(folder, { store, ids: createIds(), clock, logger });
  await store.close();
  return id;
};

it('a copy deletes its working folders, because its runner would kill the processes of the original', async () => {
  const parent = temporaryFolder();
  const [original, copy] = [path.join(parent, 'original'), path.join(parent, 'copy')];
  const id = await idOf(original);
  const run = path.join(runsFolderOf(original), 'run');
  mkdirSync(run, { recursive: true });
  cpSync(original, copy, { recursive: true });

  expect(await idOf(copy)).not.toBe(id);
  expect(existsSync(runsFolderOf(copy))).toBe(false);
  expect(existsSync(run)).toBe(true);
});

it('a restart keeps the working folders', async () => {
  const folder = path.join(temporaryFolder(), 'data');
  const id = await idOf(folder);
  const run = path.join(runsFolderOf(folder), 'run');
  mkdirSync(run, { recursive: true });

  expect(await idOf(folder)).toBe(id);
  expect(existsSync(run)).toBe(true);
});
