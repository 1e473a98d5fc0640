// Errors of the data folder. At start they are worded for the person who starts the daemon, later for the person who
// makes a request.
import { Failure } from '../domain/failure.ts';

/**
 * The content of the data folder is not what this program wrote. Nothing was changed. The message never quotes content,
 * which may be private.
 */
export class StoreDamaged extends Error {
  readonly file: string;
  /** Line number, counted from 1. Absent if the whole file is meant. */
  readonly line: number | undefined;

  constructor(file: string, line: number | undefined, what: string) {
    super(
      `The data is damaged: ${file}${line === undefined ? '' : `, line ${line}`}: ${what}. Nothing was changed. ` +
        'Restore the folder from a backup, or move it away to start with an empty one.',
    );
    this.name = 'StoreDamaged';
    this.file = file;
    this.line = line;
  }
}

/** A newer version of this program wrote the data. Nothing was changed. */
export class StoreTooNew extends Error {
  readonly found: number;
  readonly known: number;

  constructor(folder: string, found: number, known: number) {
    super(
      `The data in ${folder} has schema version ${found}, but this program supports only version ${known} and older. Nothing was changed. ` +
        'Install the newer version that wrote it, or choose another data folder.',
    );
    this.name = 'StoreTooNew';
    this.found = found;
    this.known = known;
  }
}

/** The data folder cannot be written: read-only, no permission, or no space. */
export class StoreUnwritable extends Error {
  readonly path: string;

  constructor(path: string, cause: Error) {
    super(
      `The data folder cannot be written: ${path}: ${cause.message}. ` +
        'Make it writable for this user, free space on its disk, or choose another folder with --data-dir.',
      { cause },
    );
    this.name = 'StoreUnwritable';
    this.path = path;
  }
}

/** Other users can change the data folder, or it is not a folder of the current user. */
export class FolderRefused extends Error {
  readonly path: string;

  constructor(path: string, what: string, remedy: string) {
    super(`The data folder is refused: ${path} ${what}. ${remedy}`);
    this.name = 'FolderRefused';
    this.path = path;
  }
}

export interface LockHolder {
  readonly pid: number;
  readonly instance: string;
  /** Real path of its state folder, which differs between homes with the same instance. */
  readonly stateDir: string;
  /** ms since the epoch. */
  readonly since: number;
}

export class Locked extends Error {
  readonly holder: LockHolder;
  /** False if the process runs in another container or on another host. */
  readonly ofHere: boolean;

  constructor(folder: string, holder: LockHolder, ofHere: boolean) {
    super(
      `The data folder ${folder} is in use by process ${holder.pid}${ofHere ? '' : ' of another container or host'} (instance ${holder.instance}, ` +
        `state folder ${holder.stateDir}, since ${new Date(holder.since).toISOString()}). Stop that daemon first, or choose another folder or instance.`,
    );
    this.name = 'Locked';
    this.holder = holder;
    this.ofHere = ofHere;
  }
}

const unwritable = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'EIO']);

export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Runs `work`; an error of the disk becomes StoreUnwritable. */
export const writing = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && unwritable.has(errnoOf(error) ?? '')) throw new StoreUnwritable(path, error);
    throw error;
  }
};

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk of the daemon is full',
  EDQUOT: 'The disk quota of the daemon is used up',
  EROFS: 'The disk of the daemon is read-only',
};

const ADVICE = '. Nothing was changed. Check the disk and try again.';

/** The error for a write that the disk refused. It omits the text of the system's error, which may contain paths. */
export const unavailable = (error: unknown): Failure => {
  const errno = errnoOf(error) ?? 'unknown error';
  const reason = reasons[errno] ?? `The disk of the daemon refuses writes (${errno})`;
  return new Failure('STORE_UNAVAILABLE', `${reason}${ADVICE}`, { errno });
};

/** What is wrong with the disk, from the message of `unavailable`: without a full stop and without advice. */
export const diskProblemOf = ({ message }: Failure): string => message.slice(0, -ADVICE.length);
