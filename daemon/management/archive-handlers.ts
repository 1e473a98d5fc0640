// The handler with which the owner writes all data to one file.
import { access, constants, lstat, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isSnapshotName, snapshotFile, snapshotsFolder } from '../../src/local/archive/snapshots.ts';
import { Failure } from '../domain/failure.ts';
import type { Handlers } from '../http/route-handler.ts';
import type { Archives } from '../ports/archives.ts';
import type { Logger } from '../ports/logger.ts';
import { longHandler } from './long-handler.ts';

const isThere = async (file: string): Promise<boolean> => (await lstat(file).catch(() => undefined)) !== undefined;

const refuseBadPlace = async (file: string): Promise<void> => {
  if (await isThere(file)) throw new Failure('ALREADY_EXISTS', `${file} already exists`);
  const folder = path.dirname(file);
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw new Failure('NOT_FOUND', `there is no folder ${folder}`);
  await access(folder, constants.W_OK | constants.X_OK).catch(() => {
    throw new Failure('VALIDATION', `the daemon cannot write to the folder ${folder}`);
  });
};

export const archiveHandlers = (deps: {
  readonly archives: Archives;
  readonly dataDir: string;
  readonly logger: Logger;
}): {
  readonly handlers: Handlers<'data.archive'>;
  /** Aborts archives in progress, and resolves when no data is being read. */
  close(): Promise<void>;
} => {
  const stopping = new AbortController();
  const writing = new Set<Promise<unknown>>();
  /** Names of files being written. A file gets its final name only at the end. */
  const under = new Set<string>();
  const once = async <T>(file: string, work: () => Promise<T>): Promise<T> => {
    if (under.has(file)) throw new Failure('ALREADY_EXISTS', `${file} is being written already`);
    under.add(file);
    try {
      await refuseBadPlace(file);
      return await work();
    } finally {
      under.delete(file);
    }
  };
  const handlers: Handlers<'data.archive'> = {
    'data.archive': longHandler('data.archive', deps.logger, async ({ input, say, signal }) => {
      const { snapshot, keys } = input;
      const file = snapshot === undefined ? input.file : snapshotFile(deps.dataDir, snapshot);
      if (file === undefined || !path.isAbsolute(file) || (snapshot !== undefined && !isSnapshotName(snapshot)))
        throw new Failure('VALIDATION', 'name a snapshot, or a file by its absolute path');
      if (snapshot !== undefined) await mkdir(snapshotsFolder(deps.dataDir), { recursive: true, mode: 0o700 });
      let told = '';
      const onProgress = (part: number): void => {
        const text = part.toFixed(2);
        if (text !== told) say(text);
        told = text;
      };
      const options = { withKeys: keys, isNew: true, onProgress, signal: AbortSignal.any([signal, stopping.signal]) };
      const work = once(file, () => {
        options.signal.throwIfAborted();
        return deps.archives.write(file, options);
      });
      const over = work.catch(() => undefined).finally(() => writing.delete(over));
      writing.add(over);
      const { manifest, size } = await work;
      deps.logger.info({ file, size, records: manifest.records, keys }, 'wrote all data into a file');
      return { file, size, manifest: { ...manifest } };
    }),
  };
  return {
    handlers,
    async close() {
      stopping.abort(
        new Failure('SHUTTING_DOWN', 'the daemon is stopping, so no file was written; save again when it runs'),
      );
      await Promise.all(writing);
    },
  };
};
