// The lock of a data folder: one daemon owns the folder, and its successor takes over the lock if it died.
import { statSync } from 'node:fs';
import path from 'node:path';
import { isLockOwner, type LockKind, type LockOwner, newOwner, readLock } from '../../src/local/lock/lock-content.ts';
import { releaseLock, removeLeftovers, tryLock } from '../../src/local/lock/lock-file.ts';
import { answerQuestion, isOfHere, LOOK_MS } from '../../src/local/lock/lock-question.ts';
import { prepareFolder } from './private-folder.ts';
import { Locked, type LockHolder, StoreDamaged, writing } from './store-errors.ts';

export interface Lock {
  readonly tookOverFrom?: LockHolder;
  /**
   * Must be called before each write. Calls `onLost` if another daemon has taken the lock over while this process was
   * stopped. Reads the lock file only if it was replaced, or was not read for a while.
   */
  confirm(): void;
  /** Releases the lock. A second call does nothing. */
  release(): Promise<void>;
}

interface Owner extends LockHolder, LockOwner {}

const kind: LockKind<Owner> = {
  isOwner: (value): value is Owner =>
    isLockOwner(value) &&
    'instance' in value &&
    typeof value.instance === 'string' &&
    'stateDir' in value &&
    typeof value.stateDir === 'string' &&
    'since' in value &&
    Number.isSafeInteger(value.since),
  durable: true,
  replacesForeign: false,
  answers: true,
};

const RETRIES = 100;
const RETRY_MS = 20;

const take = async (folder: string, file: string, me: Owner): Promise<Owner | undefined> => {
  for (let retries = RETRIES; ; retries -= 1) {
    const attempt = await tryLock(file, me, kind);
    if (attempt.taken) return attempt.takenFrom;
    if (attempt.holder === undefined) {
      // The lock file is written and synced before it gets its name, so a crash of a daemon cannot leave an incomplete
      // one.
      const what = 'it is not a lock (if no daemon runs on this folder, remove it)';
      throw new StoreDamaged(attempt.file, undefined, what);
    }
    if (!attempt.contended || retries === 0) throw new Locked(folder, attempt.holder, isOfHere(attempt.holder, me));
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
};

/**
 * Time (ms) without a check after which another daemon may have taken over the lock: half of the time that it waits for
 * a response.
 */
const SURE_MS = 6_000;

/** Responds to daemons that ask whether this daemon is alive, and detects whether the lock was lost. */
const createGuard = (file: string, me: Owner, onLost?: () => void) => {
  const inode = () => statSync(file, { throwIfNoEntry: false })?.ino;
  let lookedAt = Date.now();
  let seen = inode();
  const look = () => {
    const found = readLock(file, kind);
    lookedAt = Date.now();
    seen = inode();
    const isMine = found.kind === 'owned' && found.owner.token === me.token;
    if (found.kind === 'missing' || (found.kind === 'owned' && !isMine)) {
      clearInterval(timer);
      onLost?.();
    }
    return isMine ? found : undefined;
  };
  const answer = async (): Promise<void> => {
    const found = look();
    if (found) await answerQuestion(file, found);
  };
  let answering: Promise<void> | undefined;
  const timer = setInterval(() => {
    // A file that cannot be read or written now is checked again later.
    answering ??= answer()
      .catch(() => undefined)
      .finally(() => {
        answering = undefined;
      });
  }, LOOK_MS);
  timer.unref();
  return {
    confirm(): void {
      // A takeover replaces the lock file. The wall clock includes the time for which the machine was suspended.
      if (inode() !== seen || Math.abs(Date.now() - lookedAt) > SURE_MS) look();
    },
    async end(): Promise<void> {
      clearInterval(timer);
      await answering;
    },
  };
};

/**
 * Takes the lock of a data folder. Creates the folder if it does not exist.
 * A holder in another container or on another host is asked whether it lives, which takes up to 12 s if it does not.
 * @param owner.onLost called if the lock is gone, because this process was stopped for too long to answer another daemon, or
 * because somebody removed the file; this process must then end without writing anything more
 * @throws Locked if a living process has the lock; the error names that process
 * @see docs/conformance/security.md R119
 */
export const acquireLock = async (
  folder: string,
  owner: Pick<LockHolder, 'instance' | 'stateDir'> & { readonly now: number; readonly onLost?: () => void },
): Promise<Lock> => {
  await prepareFolder(folder);
  const file = path.join(folder, 'lock');
  const me: Owner = { ...newOwner(), instance: owner.instance, stateDir: owner.stateDir, since: owner.now };
  const before = await writing(folder, () => take(folder, file, me));
  await removeLeftovers(file, me, kind);
  const guard = createGuard(file, me, owner.onLost);
  let held = true;
  return {
    ...(before !== undefined && {
      tookOverFrom: { pid: before.pid, instance: before.instance, stateDir: before.stateDir, since: before.since },
    }),
    confirm: guard.confirm,
    async release() {
      if (!held) return;
      held = false;
      await guard.end();
      await releaseLock(file, me, kind);
    },
  };
};
