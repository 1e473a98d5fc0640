// Stops the parts of a daemon in order: deliveries, requests, mailboxes, running executions, journal, lock.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { removeTree } from '../../src/local/folders/remove-tree.ts';
import type { DaemonConfig } from '../config.ts';
import type { Archives } from '../ports/archives.ts';
import type { Logger } from '../ports/logger.ts';
import type { StopOptions } from '../ports/scheduler.ts';
import { recordLeftBehind, stillRunning } from './left-behind.ts';
import type { Parts } from './parts.ts';

/**
 * Backs up the data. Returns false if the backup failed: the error is logged, and the data must not be deleted. Call it
 * after the last data change.
 */
const backupOnExit = async (
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

/** Removes the images of a temporary home. A failure is logged: the next `prune` finds them by their label. */
const removeImages = async ({ builder, logger }: Parts, temporaryHome: string): Promise<void> => {
  try {
    await builder.removeOf(temporaryHome, new AbortController().signal);
  } catch (error) {
    logger.warn({ err: error }, 'some images of the temporary instance are left in the container engine');
  }
};

/** Time (ms) that open requests have to finish after a stop begins. */
const DRAIN_MS = 5_000;

/** Finishes deliveries and requests. */
const drain = async ({ dispatcher, main, legacy }: Parts, deadlineMs: number): Promise<void> => {
  const drainMs = Math.min(deadlineMs, DRAIN_MS);
  // Deliveries finish before requests are refused, because a delivery may target this daemon.
  await dispatcher.stop({ deadlineMs: drainMs });
  // A client that never reads its response must not delay the stop.
  await Promise.race([Promise.all([main.drain(), legacy?.drain()]), elapse(drainMs, undefined, { ref: false })]);
};

/**
 * @param management the management listener, closed last
 * @param closeArchives ends the archives that are being written
 */
export const stopParts = async (
  parts: Parts,
  management: { readonly close: () => Promise<unknown> },
  closeArchives: () => Promise<unknown>,
  { deadlineMs, haltExecutions, keepData }: StopOptions,
): Promise<void> => {
  const { config, folder, logger, lifecycle, control, scheduler, main, legacy, listener } = parts;
  const { containers, processes, sockets } = parts;
  const { archives, store } = folder;
  const { temporaryHome } = config;
  const erase = config.ephemeral && !keepData;
  logger.info({ deadlineMs, haltExecutions }, 'stopping');
  lifecycle.enter('draining');
  await rm(config.paths.daemonFile, { force: true });
  await control?.close();
  await closeArchives();
  await drain(parts, deadlineMs);
  lifecycle.enter('waiting');
  const haltsAll = haltExecutions || lifecycle.haltsExecutions() || erase;
  const { finished, halted, left } = await scheduler.stop({ deadlineMs, haltExecutions: haltsAll });
  const running = erase ? [] : stillRunning(store);
  await main.close();
  await legacy?.close();
  await listener.close();
  // If the data are deleted, no later start will recover the remaining runs.
  const removeAll = left === 0 || erase;
  if (temporaryHome !== undefined && (erase || config.haltOnly)) await removeImages(parts, temporaryHome);
  await containers.close({ removeAll });
  await processes.close({ removeAll });
  await sockets.close({ removeAll });
  const exported = config.backupOnExit === undefined || keepData || (await backupOnExit(archives, config, logger));
  // Written before the lock is released: `down --halt-executions` looks for this file or for the lock.
  await recordLeftBehind(config, running);
  await store.close();
  await management.close();
  if (erase && exported) await removeTree(config.dataDir);
  logger.info({ finished, halted, left }, 'stopped');
  // The state folder goes last, because it leads to the rest.
  if (erase && exported && temporaryHome !== undefined) await removeTree(path.resolve(config.paths.configDir, '..'));
};
