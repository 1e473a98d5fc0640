// A lock between processes. The lock file names its owner. If the owner dies, exactly one process takes over the lock.
import { link, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../failure.ts';
import { createFile, removeFile } from '../atomic-file.ts';
import { randomName } from '../credentials/crypto.ts';
import { stillRuns } from '../process-identity.ts';
import { isLockOwner, type LockKind, type LockOwner, readLock } from './lock-content.ts';
import { isOfHere, lives } from './lock-question.ts';

export type LockAttempt<O> =
  /** `takenFrom`: the dead owner from whom the lock was taken over. */
  | { readonly taken: true; readonly takenFrom?: O }
  | {
      readonly taken: false;
      /**
       * The living owner; if `contended`, the process that is taking over the lock. Undefined if the file is not
       * such a lock; it stays unchanged.
       */
      readonly holder: O | undefined;
      readonly file: string;
      /** True if the owner is dead and another process is taking over the lock. The caller should retry in a moment. */
      readonly contended: boolean;
    };

const linkNew = async (existing: string, file: string): Promise<boolean> => {
  try {
    await link(existing, file);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
};

/**
 * The living owner of a lock, or undefined if the lock is free. An owner whose process cannot be looked up from
 * here counts as dead.
 */
export const livingOwner = async (file: string): Promise<LockOwner | undefined> => {
  const found = readLock(file, { isOwner: isLockOwner });
  return found.kind === 'owned' && stillRuns(found.owner) ? found.owner : undefined;
};

/**
 * Tries once to take a lock. Waits for another process only while it asks an owner whether it lives
 * (`LockKind.answers`).
 *
 * The file is created with link(2) from a complete file, so no reader sees half of it. The file of a dead owner is
 * replaced with rename(2) while a second lock is held. That second lock is named after the dead owner's token: only
 * its holder may replace the file, and only if the file still names the dead owner. If that holder dies too, the same
 * rule applies to the second lock. A foreign file that may be replaced is treated in the same way, with a digest of
 * its content as the token.
 */
export const tryLock = async <O extends LockOwner>(file: string, me: O, kind: LockKind<O>): Promise<LockAttempt<O>> => {
  const draft = `${file}.${me.token}.${randomName()}.new`;
  let drafted = false;
  try {
    for (;;) {
      const found = readLock(file, kind);
      if (found.kind === 'refused' || (found.kind === 'foreign' && !kind.replacesForeign)) {
        return { taken: false, holder: undefined, file, contended: false };
      }
      if (found.kind === 'owned' && (await lives(file, found.owner, me, kind))) {
        return { taken: false, holder: found.owner, file, contended: false };
      }
      if (!drafted) {
        drafted = true;
        await createFile(draft, JSON.stringify(me), { durable: kind.durable });
      }
      if (found.kind === 'missing') {
        if (await linkNew(draft, file)) return { taken: true };
        continue;
      }
      const claim = `${file}.${found.mark}`;
      const claimed = await tryLock(claim, me, kind);
      if (!claimed.taken) return { ...claimed, contended: claimed.holder !== undefined };
      try {
        const now = readLock(file, kind);
        if (now.kind !== found.kind || now.mark !== found.mark) continue;
        await rename(draft, file);
        return { taken: true, ...(found.kind === 'owned' && { takenFrom: found.owner }) };
      } finally {
        await removeFile(claim);
      }
    }
  } finally {
    if (drafted) await removeFile(draft);
  }
};

/** Releases a lock. Changes nothing if the file no longer names this owner. */
export const releaseLock = async <O extends LockOwner>(file: string, me: O, kind: LockKind<O>): Promise<void> => {
  const found = readLock(file, kind);
  if (found.kind === 'owned' && found.owner.token === me.token) await removeFile(file);
};

/** Age (ms) at which the file of a process that cannot be looked up from here counts as left over. */
const LEFT_AFTER_MS = 60_000;

export const removeLeftovers = async <O extends LockOwner>(file: string, me: O, kind: LockKind<O>): Promise<void> => {
  const folder = path.dirname(file);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${path.basename(file)}.`)) continue;
    const leftover = path.join(folder, name);
    const found = readLock(leftover, kind);
    // A foreign file may be a draft that a living process is still writing. It is small and does no harm.
    if (found.kind !== 'owned' || stillRuns(found.owner)) continue;
    // A process in another container or on another host may be taking the lock at this moment.
    if (isOfHere(found.owner, me) || Math.abs(Date.now() - found.modified) > LEFT_AFTER_MS) await removeFile(leftover);
  }
};
