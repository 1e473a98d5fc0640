// The operation that writes all data refuses a place that it cannot or must not write to, before it begins.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { archiveHandlers } from '../../../daemon/management/archive-handlers.ts';
import type { Archives } from '../../../daemon/ports/archives.ts';
import { textOf } from '../../support/daemon/management-call.ts';
import { rememberingLogger, temporaryFolder, until } from '../../support/store/store-fixtures.ts';

/** Archives that take until the next turn. */
const quick: Archives['write'] = async (file) => {
  await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(file, 'all');
  return { manifest: { records: {} }, size: 3 };
};

const handlersWith = (dataDir: string, write: Archives['write']) => {
  const { handlers, close } = archiveHandlers({ archives: { write }, dataDir, logger: rememberingLogger() });
  /** The last line of the response. @throws its error */
  const ask = async (file: string): Promise<unknown> => {
    const response = Object.assign(new PassThrough(), { writeHead: () => undefined });
    await handlers['data.archive']({
      request: Readable.from([Buffer.from(JSON.stringify({ file, keys: false }))]),
      response,
      signal: () => new AbortController().signal,
      requestId: 'request',
    } as never);
    const lines = (await textOf(response)).trim().split('\n');
    const { done, error } = JSON.parse(lines.at(-1) ?? '') as { readonly done?: unknown; readonly error?: Error };
    if (error !== undefined) throw error;
    return done;
  };
  return { ask, close };
};
const writer = (dataDir: string) => handlersWith(dataDir, quick).ask;

it('an archive in progress ends with the code for a stopping daemon before the data is closed', async () => {
  const folder = temporaryFolder();
  let [begun, over] = [false, false];
  const { ask, close } = handlersWith(
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

it('simultaneous requests for one archive file write it once', async () => {
  const folder = temporaryFolder();
  const write = writer(folder);
  const file = path.join(folder, 'all.tar.gz');
  const outcomes = await Promise.allSettled([write(file), write(file)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(outcomes[1]).toMatchObject({ reason: { code: 'ALREADY_EXISTS' } });
  await expect(write(file)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
});

it('the error names a target folder that is missing or a file', async () => {
  const folder = temporaryFolder();
  const write = writer(folder);
  writeFileSync(path.join(folder, 'file'), '');
  for (const name of ['file', 'missing'])
    await expect(write(path.join(folder, name, 'all.tar.gz'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `there is no folder ${path.join(folder, name)}`,
    });
});
