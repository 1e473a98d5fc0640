// The folders with the output files of containers, one for each run, named like the run.
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { RunSpec } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import type { OutputLimits, RunOutputs } from '../../ports/runs/outputs.ts';
import { engineMessage } from '../engine/engine-error.ts';
import { makeOutputFiles, type OutputFiles, outputBytes, readOutputFiles } from './output-files.ts';

/** Containers have other users than the daemon. The folder is closed to other users of this machine. */
const OPEN_TO_ALL = 0o666;

/** @param folder made at the first run, with mode 0700; inside of the data folder */
export const createOutputShelf = ({ folder, logger }: { readonly folder: string; readonly logger: Logger }) => {
  const of = (ref: string): string => path.join(folder, ref);
  /** Runs that this daemon has made folders for. Their containers may not be in a list of the engine yet. */
  const own = new Set<string>();
  let swept = false;

  const remove = async (ref: string): Promise<void> => {
    try {
      await rm(of(ref), { recursive: true, force: true });
      own.delete(ref);
    } catch (error) {
      logger.warn({ ref, why: engineMessage(error) }, 'cannot delete the output files of a run');
    }
  };

  return {
    /** Makes the files of a run, anew if they exist, because the run was not started. */
    make: async (ref: string, outputs: NonNullable<RunSpec['outputs']>): Promise<OutputFiles> => {
      own.add(ref);
      await rm(of(ref), { recursive: true, force: true });
      return makeOutputFiles(of(ref), outputs, OPEN_TO_ALL);
    },
    read: (ref: string, limits: OutputLimits): Promise<RunOutputs> => readOutputFiles(of(ref), limits),
    bytes: (ref: string): Promise<number> => outputBytes(of(ref)),
    remove,
    /** Removes what earlier daemons left, except the files of existing runs. Runs only once. Never throws. */
    sweep: async (refs: readonly string[]): Promise<void> => {
      if (swept) return;
      swept = true;
      const existing = new Set(refs);
      const names = await readdir(folder).catch((): string[] => []);
      for (const name of names) if (!existing.has(name) && !own.has(name)) await remove(name);
    },
  };
};

export type OutputShelf = ReturnType<typeof createOutputShelf>;
