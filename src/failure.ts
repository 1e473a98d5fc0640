// The error type of the command line: a stable code, what happened, and what to do next.
import type { FailureCode } from './contract/failure-codes.ts';

/** Optional parts of a failure. */
export interface FailureExtras {
  /** What to do next: a command, or a short sentence without a full stop. */
  readonly hint?: string;
  /** HTTP status of the response, if there was one. */
  readonly httpStatus?: number;
  /** Id of the request, if the response had one. */
  readonly requestId?: string;
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

/** The message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

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

/** Why a file or folder cannot be accessed, for the end of a message that names it. */
export const reasonOf = (error: unknown): string => REASONS[systemCode(error) ?? ''] ?? messageOf(error);

/** The `code` of a system error (`ENOENT`, `ECONNREFUSED`), if there is one. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
