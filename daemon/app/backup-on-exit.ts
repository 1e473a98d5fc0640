// Writes all data into a file when the daemon stops in order.
import type { DaemonConfig } from '../config.ts';
import type { Archives } from '../ports/archives.ts';
import type { Logger } from '../ports/logger.ts';

/** Returns false on failure: the error is logged, and the data must be kept. Call it after the last change of data. */
export const backupOnExit = async (
  archives: Archives,
  { backupOnExit: file, backupKeys, dataDir }: Pick<DaemonConfig, 'backupOnExit' | 'backupKeys' | 'dataDir'>,
  logger: Logger,
): Promise<boolean> => {
  if (file === undefined) return true;
  const signal = new AbortController().signal;
  try {
    const { size } = await archives.write(file, { withKeys: backupKeys, onProgress: () => undefined, signal });
    logger.info({ file, size }, 'backed up all data');
    return true;
  } catch (error) {
    logger.error({ err: error, file, dataDir }, 'cannot back up the data; they stay in the data folder');
    return false;
  }
};
