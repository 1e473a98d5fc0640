// Writes the files from which the command line learns where the daemon listens and how it was started.
import { removeFile, replaceFile, sweepTemporary } from '../../src/local/atomic-file.ts';
import { type Launch, launch } from '../../src/local/daemon/launch.ts';
import { SERVICE_VARIABLE } from '../../src/local/daemon/service-text.ts';
import { isLockOwner, type LockKind, type LockOwner, newOwner } from '../../src/local/lock/lock-content.ts';
import { releaseLock, tryLock } from '../../src/local/lock/lock-file.ts';
import type { Paths } from '../../src/local/paths.ts';
import { machineId } from '../../src/local/process-identity.ts';
import type { DaemonConfig } from '../config.ts';
import type { Logger } from '../ports/logger.ts';
import { forgetLeftBehind } from './left-behind.ts';

export const launchOf = (
  { start, port: requested, bind, dataDir, engine, env }: DaemonConfig,
  port: number,
): Launch => ({
  ...launch.parse({ ...start, port, anyPort: requested === 0, bind, dataDir, engine }),
  ...(env[SERVICE_VARIABLE] && { service: env[SERVICE_VARIABLE] }),
});

const startingKind: LockKind<LockOwner> = { isOwner: isLockOwner, durable: false, replacesForeign: true };

/** Acquires the startup lock unless another daemon holds it. Returns the function that releases it. */
export const announceStart = async (file: string): Promise<() => Promise<void>> => {
  const me = newOwner();
  await tryLock(file, me, startingKind);
  return () => releaseLock(file, me, startingKind);
};

const write = (file: string, value: unknown): Promise<unknown> =>
  replaceFile(file, (append) => append(`${JSON.stringify(value)}\n`));

/**
 * Writes `daemon.json` and `launch.json`, and removes `running-executions.json` because those executions are being
 * recovered. An ephemeral daemon leaves `launch.json` unchanged, because no later start continues its data. A daemon
 * without starter removes `starter.json`, because the instance is no longer temporary.
 */
export const announce = async (paths: Paths, described: object, started: Launch): Promise<void> => {
  if (!started.ephemeral) await write(paths.launchFile, started);
  if (!started.withStarter) await removeFile(paths.starterFile);
  await forgetLeftBehind(paths.leftFile, started.dataDir);
  await write(paths.daemonFile, { ...described, machine: machineId() });
};

/** Removes what killed daemons left outside the store. Requires the lock. A folder that cannot be listed is skipped. */
export const sweepLeftovers = async (
  { paths, configKeyFile }: Pick<DaemonConfig, 'paths' | 'configKeyFile'>,
  logger: Logger,
): Promise<void> => {
  for (const file of [paths.daemonFile, paths.launchFile, paths.leftFile, configKeyFile]) {
    try {
      await sweepTemporary(file);
    } catch (error) {
      logger.warn({ file, error }, 'cannot remove the temporary files that a killed daemon left');
    }
  }
};
