// The error type of the command line: a stable code, what happened, and what to do next.
import { types } from 'node:util';
import type { FailureCode } from './contract/failure-codes.ts';

/** Optional parts of a failure. */
export interface FailureExtras {
  /** What to do next: a command, or a short sentence without a full stop. */
  readonly hint?: string;
  /** HTTP status of the response, if there was one. */
  readonly httpStatus?: number;
  /** Id of the request, if the response had one. */
  readonly requestId?: string;
  /** Path that this user may not use. The report names its owner, and the line that gives access. */
  readonly blocked?: string;
  /** Data for scripts, never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The underlying error. Shown only with `--debug`. */
  readonly cause?: unknown;
}

/** A failure of a command. `src/main.ts` prints it and sets the exit code. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly code: FailureCode;
  readonly extras: FailureExtras;

  constructor(code: FailureCode, message: string, extras: FailureExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.code = code;
    this.extras = extras;
  }
}

/** A failure for an invalid flag, argument or value: exit code 2. */
export const usage = (message: string, hint?: string): CliFailure =>
  new CliFailure('USAGE', message, hint === undefined ? {} : { hint });

/**
 * The failure of one of several steps, after others were done. The failure reports the completed steps, so that
 * people and scripts do not repeat them.
 * @param done the completed steps: `3 of 10 messages were sent`
 * @param details the same for scripts
 */
export const stoppedAfter = (error: unknown, done: string, details: FailureExtras['details']): unknown =>
  error instanceof CliFailure
    ? new CliFailure(error.code, `${done}, then: ${error.message}`, {
        ...error.extras,
        details: { ...error.extras.details, ...details },
        cause: error,
      })
    : error;

/**
 * Runs a function for each item, one after the other, and returns the results.
 * @param told describes the completed items, as text and as details, for the error of a later item
 * @throws the error of the first item that fails; if other items were completed before, as `stoppedAfter`
 */
export const inOrder = async <T, R>(
  items: readonly T[],
  act: (item: T) => Promise<R>,
  told: (done: readonly R[]) => readonly [done: string, details: FailureExtras['details']],
): Promise<readonly R[]> => {
  const done: R[] = [];
  for (const item of items) {
    try {
      done.push(await act(item));
    } catch (error) {
      throw done.length === 0 ? error : stoppedAfter(error, ...told(done));
    }
  }
  return done;
};

/** True for errors of Node as well, which are not instances of the `Error` of a sandbox such as jest's. */
export const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value);

/** The message of any thrown value. */
export const messageOf = (error: unknown): string => (isError(error) ? error.message : String(error));

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'a part of its path is not a folder',
  ENAMETOOLONG: 'its path is too long',
};

/** The reason why a file or folder cannot be accessed, for the end of a message that names the file. */
export const reasonOf = (error: unknown): string => REASONS[systemCode(error) ?? ''] ?? messageOf(error);

/** The `code` of a system error (`ENOENT`, `ECONNREFUSED`), if there is one. */
export const systemCode = (error: unknown): string | undefined =>
  isError(error) && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** The failure to use a file or folder. @param doing `cannot read` */
export const fileFailure = (doing: string, file: string, error: unknown): CliFailure =>
  new CliFailure('USAGE', `${doing} ${file}: ${reasonOf(error)}`, { cause: error, blocked: file });
