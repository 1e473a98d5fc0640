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

/** The `code` of a system error (`ENOENT`, `ECONNREFUSED`), if there is one. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
