// Why this user cannot use a file or folder: whose it is, and the line that changes that.
import { type Stats, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { reasonOf, systemCode } from '../../failure.ts';
import { singleQuoted } from '../single-quoted.ts';

/** What blocks the access to a path. */
export interface Blocked {
  /** `code` of the system error. */
  readonly code: string | undefined;
  /** The path, or its closest parent folder, that exists. */
  readonly at: string;
  readonly owner: number;
  readonly self: number | undefined;
  /** Home folder of the user. */
  readonly home: string;
}

export interface AccessProblem {
  /** For the end of a message that names the file. */
  readonly reason: string;
  /** The line that gives the user access. Undefined if the path is not in the home of the user, or for other errors. */
  readonly fix: string | undefined;
}

const isIn = (file: string, folder: string): boolean => file.startsWith(`${folder}${path.sep}`);

const isDenied = (code: string | undefined): boolean => code === 'EACCES' || code === 'EPERM';

/** @see `AccessProblem.fix` */
export const accessFix = ({ code, at, owner, self, home }: Blocked): string | undefined => {
  if (!isDenied(code) || self === undefined) return undefined;
  if (owner === self) return `chmod u+rwX ${singleQuoted(at)}`;
  if (at === home) return `sudo chown ${self} ${singleQuoted(at)}`;
  return isIn(at, home) ? `sudo chown -R ${self} ${singleQuoted(at)}` : undefined;
};

/** The home folder, or a text that is no path: the lookup throws for a user without one. */
const ownHome = (): string => {
  try {
    return homedir();
  } catch {
    return '';
  }
};

/** The path, or its closest parent folder, that exists and that this user can see. */
export const nearestExisting = (target: string): { readonly at: string; readonly found: Stats } => {
  for (let at = path.resolve(target); ; at = path.dirname(at)) {
    try {
      return { at, found: statSync(at) };
    } catch (error) {
      if (path.dirname(at) === at) throw error;
    }
  }
};

/** Who owns what blocks the path, for the end of a message, and the line that gives access. @param code of the error */
export const blockedBy = (
  target: string,
  code: string | undefined,
): { readonly note: string; readonly fix?: string } => {
  const { at, found } = nearestExisting(target);
  const self = process.getuid?.();
  const isForeign = isDenied(code) && self !== undefined && found.uid !== self;
  const fix = accessFix({ code, at, owner: found.uid, self, home: ownHome() });
  return {
    note: isForeign ? `: ${at} belongs to user ${found.uid}, and you are user ${self}` : '',
    ...(fix !== undefined && { fix }),
  };
};

/** The problem behind a system error at this path. */
export const accessProblem = (target: string, error: unknown): AccessProblem => {
  const { note, fix } = blockedBy(target, systemCode(error));
  return { reason: `${reasonOf(error)}${note}`, fix };
};

/** The line that moves all folders of this program to a place where every user can write. */
export const homeElsewhere = (): string =>
  `to use other folders: export ACTORCTL_HOME=${singleQuoted(path.join(tmpdir(), 'actorctl'))}`;

/**
 * The path that a daemon reported as unwritable, with its owner and a fix. Undefined if it reported none.
 * @param detail details of the start failure
 */
export const unwritableAt = (detail: Readonly<Record<string, unknown>> = {}) => {
  const { path: file, errno: code } = detail;
  if (typeof file !== 'string' || typeof code !== 'string') return undefined;
  const { reason, fix } = accessProblem(file, Object.assign(new Error(code), { code }));
  return { message: `cannot write to ${file}: ${reason}`, fix: fix ?? 'choose another folder with --data-dir' };
};
