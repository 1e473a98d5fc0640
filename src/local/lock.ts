// Runs work under a lock between the processes of the command line, and waits for that lock.
import path from 'node:path';
import { CliFailure } from '../failure.ts';
import { ownFolder } from './files.ts';
import {
  isLockOwner,
  type LockKind,
  type LockOwner,
  newOwner,
  releaseLock,
  removeLeftovers,
  tryLock,
} from './lock-file.ts';

const kind: LockKind<LockOwner> = { isOwner: isLockOwner, durable: false };

export interface LockOptions {
  /** Longest wait in milliseconds. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` while this process holds the lock `file`. Takes the lock over if its owner has died.
 * @throws CliFailure INTERNAL if another process holds the lock for longer than `patienceMs`; CANCELLED when `signal` fires
 */
export const withLock = async <T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> => {
  const { patienceMs = 60_000, signal } = options;
  await ownFolder(path.dirname(file));
  const me = newOwner();
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const attempt = await tryLock(file, me, kind);
    if (attempt.taken) {
      if (attempt.takenFrom) await removeLeftovers(file, kind);
      break;
    }
    if (signal?.aborted) throw new CliFailure('CANCELLED', 'interrupted');
    if (performance.now() > deadline) {
      const holder = attempt.holder ? ` by process ${attempt.holder.pid}` : '';
      throw new CliFailure('INTERNAL', `${file} stays locked${holder}`, {
        hint: 'end that process, or remove the file if it hangs',
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
