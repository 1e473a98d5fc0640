// Stores the end of a run in its folder, so that it outlives the runner.
import { fdatasync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { replaceFile } from '../../../src/local/atomic-file.ts';
import type { Ended } from '../../ports/executor.ts';
import { errorCode } from '../read-field.ts';
import type { Child, Exit } from './child.ts';
import type { ExceededLimit } from './limits.ts';
import { executionOf } from './protocol.ts';

export interface EndRecord {
  readonly ref: string;
  readonly executionId: string;
  readonly workerId: string;
  readonly ended: Ended;
}

const sync = promisify(fdatasync);
const endFile = 'ended.json';

export const outputFile = 'output';

/** The end of a run, as sent to the daemon. `exceeded` is the limit for which the runner killed the run. */
export const endedOf = (
  { pid, startedAt }: Child,
  { exitCode, signal, finishedAt }: Exit,
  exceeded: ExceededLimit | undefined,
): Ended => {
  const time = (ms: number) => new Date(ms).toISOString();
  const outOfMemory = exceeded?.what === 'memory';
  return {
    exitCode,
    startedAt,
    finishedAt,
    outOfMemory,
    finalState: {
      Status: 'exited',
      ExitCode: exitCode,
      Signal: signal,
      OOMKilled: outOfMemory,
      Error: exceeded?.message ?? '',
      Pid: pid,
      StartedAt: time(startedAt),
      FinishedAt: time(finishedAt),
    },
  };
};

/** Resolves when the end and the output are on disk. `output` is the descriptor of the output file, if there is one. */
export const writeEndRecord = async (folder: string, record: EndRecord, output: number | undefined): Promise<void> => {
  if (output !== undefined) await sync(output);
  await replaceFile(join(folder, endFile), (append) => append(JSON.stringify(record)));
};

/** The runs that ended under earlier runners, and the refs of runs that were lost with those runners. */
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
        console.error(`cannot read the end record of ${ref}, so the run counts as lost: ${String(error)}`);
      }
    }
  }
  return { ended, lost };
};
