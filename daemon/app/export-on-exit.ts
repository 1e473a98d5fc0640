// Writes all data into a file when the daemon stops in order.
import type { DaemonConfig } from '../config.ts';
import type { Archives } from '../ports/archives.ts';
import type { Logger } from '../ports/logger.ts';

/**
 * Writes the file of `--export-on-exit`. Returns false if that fails: the error is logged, and the data must be kept.
 * Call it after the last change of the data.
 */
export const exportOnExit = async (
  archives: Archives,
  { exportOnExit: file, exportKeys, dataDir }: Pick<DaemonConfig, 'exportOnExit' | 'exportKeys' | 'dataDir'>,
  logger: Logger,
): Promise<boolean> => {
  if (file === undefined) return true;
  const signal = new AbortController().signal;
  try {
    const { size } = await archives.write(file, { withKeys: exportKeys, onProgress: () => undefined, signal });
    logger.info({ file, size }, 'exported all data');
    return true;
  } catch (error) {
    logger.error({ err: error, file, dataDir }, 'cannot export the data; they stay in the data folder');
    return false;
  }
};
