// A lock between processes: a file that names its owner and that exactly one process takes over after the owner died.
import { link, readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../failure.ts';
import { createFile, removeFile } from './atomic-file.ts';
import { randomName } from './credentials/crypto.ts';
import { identityOf, type ProcessIdentity, stillRuns } from './process-identity.ts';

/** The process that holds a lock. */
export interface LockOwner extends ProcessIdentity {
  /** Random, different each time that a lock is taken; 32 hexadecimal digits. */
  readonly token: string;
}

/** One kind of lock file. */
export interface LockKind<O extends LockOwner> {
  readonly isOwner: (value: unknown) => value is O;
  /** True if the content of the lock file must survive a power failure. */
  readonly durable: boolean;
}

export type LockAttempt<O> =
  /** `takenFrom`: the dead owner whose lock was taken over. */
  | { readonly taken: true; readonly takenFrom?: O }
  | {
      readonly taken: false;
      /** The living owner; undefined if `file` is not a lock file of this kind. */
      readonly holder: O | undefined;
      readonly file: string;
      /** The owner is dead and another process is taking the lock over: try again in a moment. */
      readonly contended: boolean;
    };

/** True for the JSON value of a lock file. */
export const isLockOwner = (value: unknown): value is LockOwner => {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return (
    Number.isSafeInteger(fields.get('pid')) &&
    typeof fields.get('processStart') === 'string' &&
    typeof fields.get('bootId') === 'string' &&
    /^[0-9a-f]{32}$/.test(String(fields.get('token')))
  );
};

/** A new owner record for this process. */
export const newOwner = (): LockOwner => ({ token: randomName(16), ...identityOf(process.pid) });

/** Returns `missing` if there is no such file, `foreign` if it is not a lock file of this kind. */
const readOwner = async <O extends LockOwner>(file: string, kind: LockKind<O>): Promise<O | 'missing' | 'foreign'> => {
  try {
    const owner: unknown = JSON.parse(await readFile(file, 'utf8'));
    return kind.isOwner(owner) ? owner : 'foreign';
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return 'missing';
    if (error instanceof SyntaxError) return 'foreign';
    throw error;
  }
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

/** The living owner of a lock, or undefined if it is free. */
export const livingOwner = async (file: string): Promise<LockOwner | undefined> => {
  const owner = await readOwner(file, { isOwner: isLockOwner, durable: false });
  return typeof owner === 'object' && stillRuns(owner) ? owner : undefined;
};

/**
 * Tries once to take a lock. Never waits for another process.
 *
 * The file is created with link(2) from a complete file, so no reader sees half of it. The file of a dead owner is replaced
 * with rename(2) while a second lock is held. That second lock is named after the dead owner's token: only its holder may
 * replace the file, and only if the file still names the dead owner. If that holder dies too, the same rule applies to the
 * second lock.
 */
export const tryLock = async <O extends LockOwner>(file: string, me: O, kind: LockKind<O>): Promise<LockAttempt<O>> => {
  const draft = `${file}.${me.token}.${randomName()}.new`;
  let drafted = false;
  try {
    for (;;) {
      const found = await readOwner(file, kind);
      if (found === 'foreign') return { taken: false, holder: undefined, file, contended: false };
      if (found !== 'missing' && stillRuns(found)) return { taken: false, holder: found, file, contended: false };
      if (!drafted) {
        drafted = true;
        await createFile(draft, JSON.stringify(me), { durable: kind.durable });
      }
      if (found === 'missing') {
        if (await linkNew(draft, file)) return { taken: true };
        continue;
      }
      const claim = `${file}.${found.token}`;
      const claimed = await tryLock(claim, me, kind);
      if (!claimed.taken) return { ...claimed, contended: claimed.holder !== undefined };
      try {
        const now = await readOwner(file, kind);
        if (typeof now !== 'object' || now.token !== found.token) continue;
        await rename(draft, file);
        return { taken: true, takenFrom: found };
      } finally {
        await removeFile(claim);
      }
    }
  } finally {
    if (drafted) await removeFile(draft);
  }
};

/** Gives a lock up. Changes nothing if the file no longer names this owner. */
export const releaseLock = async <O extends LockOwner>(file: string, me: O, kind: LockKind<O>): Promise<void> => {
  const found = await readOwner(file, kind);
  if (typeof found === 'object' && found.token === me.token) await removeFile(file);
};

/** Removes the files of processes that died while they took this lock. */
export const removeLeftovers = async <O extends LockOwner>(file: string, kind: LockKind<O>): Promise<void> => {
  const folder = path.dirname(file);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${path.basename(file)}.`)) continue;
    const leftover = path.join(folder, name);
    const owner = await readOwner(leftover, kind);
    // A foreign file may be a draft that a living process is still writing. It is small and does no harm.
    if (typeof owner === 'object' && !stillRuns(owner)) await removeFile(leftover);
  }
};
