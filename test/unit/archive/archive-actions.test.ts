// The action that writes all data refuses a place that it cannot or must not write to, before it begins.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { archiveActions } from '../../../daemon/management/archive-actions.ts';
import type { StreamExchange } from '../../../daemon/management/stream.ts';
import { rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

/** Writes into `file` with archives that take until the next turn. */
const writer = (dataDir: string) => {
  const write = async (file: string) => {
    await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(file, 'all');
    return { manifest: { records: {} }, size: 3 };
  };
  const actions = archiveActions({ archives: { write }, dataDir, logger: rememberingLogger() });
  return async (file: string) =>
    actions['POST /manage/archive']?.({
      input: { file, keys: false },
      say: () => undefined,
      signal: new AbortController().signal,
    } as unknown as StreamExchange);
};

it('writes a file of one name once, also if two ask for it at the same time', async () => {
  const folder = temporaryFolder();
  const write = writer(folder);
  const file = path.join(folder, 'all.tar.gz');
  const outcomes = await Promise.allSettled([write(file), write(file)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(outcomes[1]).toMatchObject({ reason: { code: 'ALREADY_EXISTS' } });
  await expect(write(file)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
});

it('names the folder that is missing or is a file', async () => {
  const folder = temporaryFolder();
  const write = writer(folder);
  writeFileSync(path.join(folder, 'file'), '');
  for (const name of ['file', 'missing'])
    await expect(write(path.join(folder, name, 'all.tar.gz'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `there is no folder ${path.join(folder, name)}`,
    });
});
