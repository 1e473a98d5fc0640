// The content of a lock file, which identifies the process that holds the lock, and the kinds of locks.
import { randomName, shortDigest } from '../credentials/crypto.ts';
import { identityOf, type ProcessIdentity, pidNamespace } from '../process-identity.ts';
import { readSmallFile } from '../small-file.ts';

export interface LockOwner extends ProcessIdentity {
  /** Random token of 32 hexadecimal digits, different for each time that the lock is taken. */
  readonly token: string;
  /**
   * The namespace in which the process id of the owner is valid, see `pidNamespace`. Absent in locks of older versions.
   */
  readonly pidNamespace?: string;
}

export interface LockKind<O extends LockOwner> {
  readonly isOwner: (value: unknown) => value is O;
  /** True if the content of the lock file must survive a power failure. */
  readonly durable: boolean;
  /**
   * True if a regular file with other content counts as the lock of a dead process, because a power failure can leave
   * an empty file if the lock is not durable. False if such a file is refused.
   */
  readonly replacesForeign: boolean;
  /**
   * True if an owner checks its lock file for questions (`answerQuestion`). An owner in another container, on another
   * host or from an earlier boot is then asked whether it is alive, because its process cannot be looked up. Absent:
   * such an owner counts as dead. That is safe for a lock that is held only for an instant.
   */
  readonly answers?: true;
}

export const isLockOwner = (value: unknown): value is LockOwner => {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return (
    Number.isSafeInteger(fields.get('pid')) &&
    typeof fields.get('processStart') === 'string' &&
    typeof fields.get('bootId') === 'string' &&
    /^[0-9a-f]{32}$/.test(String(fields.get('token'))) &&
    ['string', 'undefined'].includes(typeof fields.get('pidNamespace'))
  );
};

export const newOwner = (): LockOwner => ({
  token: randomName(16),
  ...identityOf(process.pid),
  pidNamespace: pidNamespace(),
});

export type Content<O> =
  | { readonly kind: 'missing' }
  /** `mark`: identifies the content, 32 hexadecimal digits. `modified`: ms since the epoch. */
  | { readonly kind: 'owned'; readonly owner: O; readonly mark: string; readonly modified: number }
  /** The path is a regular file with other content. */
  | { readonly kind: 'foreign'; readonly mark: string }
  /** The path is a folder, a link, a FIFO or a huge file. */
  | { readonly kind: 'refused' };

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const readLock = <O extends LockOwner>(file: string, { isOwner }: Pick<LockKind<O>, 'isOwner'>): Content<O> => {
  const found = readSmallFile(file, { followLinks: false });
  if (found.kind !== 'read') return { kind: found.kind };
  const owner = parsed(found.text);
  if (isOwner(owner)) return { kind: 'owned', owner, mark: owner.token, modified: found.modified };
  return { kind: 'foreign', mark: shortDigest(found.text, 32) };
};
