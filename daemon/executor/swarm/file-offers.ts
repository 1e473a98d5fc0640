// Stores the files that runs fetch once from the daemon, in a folder that survives a daemon crash.
import { createHash, randomBytes } from 'node:crypto';
import { copyFile, link, mkdir, open, readdir, rm, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ExecutorError, type RunFile } from '../../ports/executor.ts';
import type { FileOffers, OfferedFiles } from '../../ports/file-offers.ts';
import { errorCode } from '../read-field.ts';

/** URL path of the files at the listener for runs. */
const OFFERS_PATH = '/one-time-files';

const REF = /^[A-Za-z0-9-]{1,80}$/;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Only the hash of a secret is on disk. */
const nameOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

const put = async (source: RunFile['source'], file: string): Promise<void> => {
  if ('bytes' in source) return writeFile(file, source.bytes, { mode: 0o600 });
  // The body of a message is deleted once its run has started, perhaps before the run fetches it.
  await link(source.file, file).catch(() => copyFile(source.file, file));
};

/** @param apiUrl the URL at which the nodes reach the daemon */
export const createFileOffers = (
  folder: string,
  apiUrl: () => Promise<string | undefined>,
): FileOffers & OfferedFiles => {
  const folderOf = (ref: string) => path.join(folder, ref);
  return {
    offer: async (ref, source) => {
      const base = await apiUrl();
      if (base === undefined)
        throw new ExecutorError(
          'start',
          'Nodes can fetch a file of more than 500 KB only over HTTP, but they cannot reach the daemon. Set its address with "actorctl up --advertise-url URL".',
        );
      const secret = randomBytes(32).toString('base64url');
      await mkdir(folderOf(ref), { recursive: true, mode: 0o700 });
      await put(source, path.join(folderOf(ref), nameOf(secret)));
      return `${base}${OFFERS_PATH}/${ref}/${secret}`;
    },
    withdraw: (ref) => rm(folderOf(ref), { recursive: true, force: true }),
    keepOnly: async (refs) => {
      const all = await readdir(folder).catch(() => []);
      for (const ref of all) if (!refs.has(ref)) await rm(folderOf(ref), { recursive: true, force: true });
    },
    take: async (ref, secret) => {
      if (!REF.test(ref) || !SECRET.test(secret)) return undefined;
      const file = path.join(folderOf(ref), nameOf(secret));
      let handle: Awaited<ReturnType<typeof open>> | undefined;
      try {
        handle = await open(file, 'r');
        // If there are several requests, the one that succeeds in removing the name gets the file.
        await unlink(file);
        return { size: (await handle.stat()).size, content: handle.createReadStream() };
      } catch (error) {
        await handle?.close();
        if (errorCode(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
  };
};
