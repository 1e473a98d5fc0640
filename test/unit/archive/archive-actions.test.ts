// The action that writes all data refuses a place that it cannot or must not write to, before it begins.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { archiveActions } from '../../../daemon/management/archive-actions.ts';
import type { StreamExchange } from '../../../daemon/management/stream.ts';
import type { Archives } from '../../../daemon/ports/archives.ts';
import { rememberingLogger, temporaryFolder, until } from '../../support/store/store-fixtures.ts';

/** Archives that take until the next turn. */
const quick: Archives['write'] = async (file) => {
  await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(file, 'all');
  return { manifest: { records: {} }, size: 3 };
};

const actionsWith = (dataDir: string, write: Archives['write']) => {
  const actions = archiveActions({ archives: { write }, dataDir, logger: rememberingLogger() });
  const ask = async (file: string) =>
    actions.streams['POST /manage/archive']?.({
      input: { file, keys: false },
      say: () => undefined,
      signal: new AbortController().signal,
    } as unknown as StreamExchange);
  return { ask, close: actions.close };
};
const writer = (dataDir: string) => actionsWith(dataDir, quick).ask;

it('that is being written when the daemon stops ends with the word for it, before the data are closed', async () => {
  const folder = temporaryFolder();
  let [begun, over] = [false, false];
  const { ask, close } = actionsWith(
    folder,
    (_file, { signal }) =>
      new Promise((_resolve, reject) => {
        begun = true;
        signal.addEventListener('abort', () =>
          setImmediate(() => {
            over = true;
            reject(signal.reason);
          }),
        );
      }),
  );
  const asked = ask(path.join(folder, 'all.tar.gz')).catch((error: unknown) => error);
  await until(() => begun);
  await close();
  expect(over).toBe(true);
  expect(await asked).toMatchObject({ code: 'SHUTTING_DOWN' });
  await expect(ask(path.join(folder, 'late.tar.gz'))).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
});

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
