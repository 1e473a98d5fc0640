// How a run's end is kept in its folder, so that it outlives the runner too.
import { fdatasync } from 'node:fs';
import { open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Ended } from '../../ports/executor.ts';
import { errorCode } from '../read-field.ts';
import { executionOf } from './protocol.ts';

/** What is known of a run that has ended. Nothing of its environment is in it. */
export interface EndRecord {
  readonly ref: string;
  readonly executionId: string;
  readonly workerId: string;
  readonly ended: Ended;
}

const sync = promisify(fdatasync);
const endFile = 'ended.json';

/** Name of the output file within a run's folder. */
export const outputFile = 'output';

/** Resolves when the end, and the output before it, are on disk. `output`: the open output file, if there was any output. */
export const writeEndRecord = async (folder: string, record: EndRecord, output: number | undefined): Promise<void> => {
  if (output !== undefined) await sync(output);
  const draft = join(folder, `${endFile}.new`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(JSON.stringify(record));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, endFile));
  const parent = await open(folder, 'r');
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
};

/** The runs found in the runs folder when a runner starts: those that ended, and those that a runner before it took down with itself. */
export const readEndRecords = async (runsFolder: string): Promise<{ ended: EndRecord[]; lost: string[] }> => {
  const ended: EndRecord[] = [];
  const lost: string[] = [];
  for (const ref of await readdir(runsFolder)) {
    if (executionOf(ref) === undefined) continue;
    try {
      ended.push(JSON.parse(await readFile(join(runsFolder, ref, endFile), 'utf8')));
    } catch (error) {
      lost.push(ref);
      if (errorCode(error) !== 'ENOENT') {
        console.error(`the end of ${ref} cannot be read: ${String(error)}`);
      }
    }
  }
  return { ended, lost };
};
