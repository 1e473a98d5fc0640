// Runs work under a lock between the processes of the command line, and waits for that lock.
import path from 'node:path';
import { CliFailure } from '../../failure.ts';
import { ownFolder, unwritable } from '../files.ts';
import { isLockOwner, type LockKind, type LockOwner, newOwner } from './lock-content.ts';
import { type LockAttempt, releaseLock, removeLeftovers, tryLock } from './lock-file.ts';

const kind: LockKind<LockOwner> = { isOwner: isLockOwner, durable: false, replacesForeign: true };

/**
 * Grace period for writing credentials, in milliseconds. The write may contain a token that has just replaced another
 * token. An interrupted command must not lose it because of a lock that is held only briefly.
 */
export const WRITE_GRACE_MS = 500;

export interface LockOptions {
  readonly waitMs?: number;
  /** Aborts the wait. */
  readonly signal: AbortSignal;
  /** Milliseconds that the wait continues after `signal` has fired; default 0. */
  readonly graceMs?: number;
}

const attempt = async (file: string, me: LockOwner): Promise<LockAttempt<LockOwner>> => {
  try {
    const result = await tryLock(file, me, kind);
    if (result.taken && result.takenFrom) await removeLeftovers(file, me, kind);
    return result;
  } catch (error) {
    throw unwritable(path.dirname(file), error);
  }
};

/**
 * Takes the lock over if its owner has died, and replaces a file that is no lock.
 * @throws CliFailure IN_USE after `waitMs`, CANCELLED when `signal` fires, USAGE if the file cannot be a lock
 */
export const withLock = async <T>(file: string, work: () => Promise<T>, options: LockOptions): Promise<T> => {
  const { waitMs = 60_000, graceMs = 0, signal } = options;
  await ownFolder(path.dirname(file));
  const me = newOwner();
  const deadline = performance.now() + waitMs;
  let interrupted: number | undefined;
  for (;;) {
    const result = await attempt(file, me);
    if (result.taken) break;
    if (!result.holder) {
      throw new CliFailure('USAGE', `${result.file} is not a lock file of actorctl`, { hint: 'move it away' });
    }
    const now = performance.now();
    if (signal.aborted) interrupted ??= now;
    if (interrupted !== undefined && now >= interrupted + graceMs) throw new CliFailure('CANCELLED', 'interrupted');
    if (now > deadline) {
      const { pid } = result.holder;
      throw new CliFailure('IN_USE', `process ${pid} has held the lock ${result.file} for too long`, {
        hint: `try again later, or end process ${pid} if it hangs`,
        details: { pid },
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 15 + Math.random() * 20));
  }
  try {
    return await work();
  } finally {
    await releaseLock(file, me, kind);
  }
};
