// Finds out whether the owner of a lock is alive, even if its process cannot be looked up because it runs in another
// container or on another host.
import { utimes } from 'node:fs/promises';
import { systemCode } from '../../failure.ts';
import { stillRuns } from '../process-identity.ts';
import { type Content, type LockKind, type LockOwner, readLock } from './lock-content.ts';

/**
 * A process asks the owner of a lock whether it is alive by setting this modification time on the lock file (seconds
 * since the epoch). The owner answers by setting the current time. So nothing is written while no process asks, and
 * the clocks of two hosts may differ.
 */
const QUESTION = Date.UTC(2000, 0) / 1000;
/** Interval (ms) at which an owner must check for a question. */
export const LOOK_MS = 2_000;
/** Time (ms) that the asking process waits for the answer. */
const LIMIT_MS = 12_000;

const isAsked = <O>(found: Content<O>): boolean => found.kind === 'owned' && found.modified === QUESTION * 1000;

/** True if the process id of the owner is valid here, so that its process can be looked up. */
export const isOfHere = ({ bootId, pidNamespace: its }: LockOwner, me: LockOwner): boolean =>
  bootId === me.bootId && (its === undefined || its === me.pidNamespace);

/** Sets the modification time of a lock file. False if the file no longer exists. */
const setTime = async (file: string, seconds: number): Promise<boolean> => {
  try {
    await utimes(file, seconds, seconds);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
};

/** Asks the owner whether it is alive. False if no answer came, or if the file is no longer its lock. */
const answersFrom = async <O extends LockOwner>(file: string, { token }: O, kind: LockKind<O>): Promise<boolean> => {
  if (!(await setTime(file, QUESTION))) return false;
  for (const deadline = performance.now() + LIMIT_MS; performance.now() < deadline; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS / 10));
    const now = readLock(file, kind);
    if (now.kind !== 'owned' || now.owner.token !== token) return false;
    if (!isAsked(now)) return true;
  }
  return false;
};

/** Returns whether the owner of a lock is alive. Waits for an answer if the owner has to be asked. */
export const lives = async <O extends LockOwner>(file: string, owner: O, me: O, kind: LockKind<O>): Promise<boolean> =>
  kind.answers && !isOfHere(owner, me) ? answersFrom(file, owner, kind) : stillRuns(owner);

/** Answers the question in this process's own lock file, if there is a question. */
export const answerQuestion = async <O>(file: string, found: Content<O>): Promise<void> => {
  if (isAsked(found)) await setTime(file, Date.now() / 1000);
};
