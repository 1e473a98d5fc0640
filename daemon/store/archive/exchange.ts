// Replaces the data of a folder with prepared data. After a crash at any instant, the folder has either the old or the
// new data.
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { createFile, syncFolder } from '../../../src/local/atomic-file.ts';
import { removeTree } from '../../../src/local/folders/remove-tree.ts';
import { exists } from '../durable-files.ts';

/** The folders that are exchanged together. Prepared data contain all of them. */
export const PARTS = ['db', 'bodies', 'logs'] as const;

/** Folder in which new data are prepared. A crash during the preparation has no effect. */
const NEXT = 'import.next';
/** Folder of prepared data that must become the data. The existence of this name is the decision. */
const READY = 'import.ready';
/** Folder of the data that were replaced. */
const OLD = 'import.old';
/** File in READY with the name under which the old data are retained. Absent if they are deleted. */
const KEEP = 'keep';

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

const makeOld = (data: string): Promise<unknown> => mkdir(path.join(data, OLD), { recursive: true, mode: 0o700 });

/** Exchanges the folders that are not exchanged yet. Each step can be repeated after a crash. */
const apply = async (data: string): Promise<void> => {
  const [ready, old] = [path.join(data, READY), path.join(data, OLD)];
  // A crash after the last rename may have left no folder.
  await makeOld(data);
  for (const part of PARTS) {
    // A part that is no longer in the prepared folder has already been exchanged.
    if (!(await exists(path.join(ready, part)))) continue;
    if (await exists(path.join(data, part))) await rename(path.join(data, part), path.join(old, part));
    await rename(path.join(ready, part), path.join(data, part));
  }
  // No run of the old data exists any more. The executor removes or reports what cannot be removed.
  await removeTree(path.join(data, 'runs')).catch(() => undefined);
  await syncFolder(data);
  const keep = (await exists(path.join(ready, KEEP))) ? await readFile(path.join(ready, KEEP), 'utf8') : undefined;
  if (keep !== undefined && !(await exists(path.join(data, keep)))) await rename(old, path.join(data, keep));
  await syncFolder(data);
  await remove(ready);
  await remove(old);
};

/** Completes an exchange that a crash interrupted, or removes unused prepared data. Call it at every start. */
export const finishExchange = async (data: string): Promise<void> => {
  await remove(path.join(data, NEXT));
  if (await exists(path.join(data, READY))) await apply(data);
  else await remove(path.join(data, OLD));
};

export const beginExchange = async (data: string): Promise<string> => {
  const next = path.join(data, NEXT);
  await remove(next);
  await mkdir(next, { mode: 0o700 });
  for (const part of PARTS) await mkdir(path.join(next, part), { mode: 0o700 });
  return next;
};

/** Removes prepared data; the old data stay. */
export const cancelExchange = (data: string): Promise<void> => remove(path.join(data, NEXT));

/**
 * Replaces the data by the prepared ones, which must be on disk. The store of the folder must be closed.
 * @param options.keep name of the folder that receives the old data; absent: they are deleted
 * @param options.onDecided called when no failure can bring the old data back
 */
export const commitExchange = async (
  data: string,
  { keep, onDecided }: { readonly keep?: string; readonly onDecided?: () => void } = {},
): Promise<void> => {
  const next = path.join(data, NEXT);
  if (keep !== undefined) await createFile(path.join(next, KEEP), keep);
  for (const part of PARTS) await syncFolder(path.join(next, part));
  await syncFolder(next);
  // This folder is created before the decision, because a full disk may refuse it. The steps after the decision only
  // rename and remove.
  await makeOld(data);
  await rename(next, path.join(data, READY));
  onDecided?.();
  await syncFolder(data);
  await apply(data);
};
