// The error that the command line words: a stable code, what happened, and what to do next.
import type { FailureCode } from './contract/failure-codes.ts';

/** What may accompany a failure. */
export interface FailureExtras {
  /** What to do next: a command, or a short sentence without a full stop. */
  readonly hint?: string;
  /** HTTP status, if a server said it. */
  readonly httpStatus?: number;
  /** Id of the request, if a server gave one. */
  readonly requestId?: string;
  /** Facts for scripts; never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** What was thrown below; shown with `--debug` only. */
  readonly cause?: unknown;
}

/** A failure of a command; `src/main.ts` alone words it and sets the exit code. */
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

/** A bad flag, argument or value: exit 2. */
export const usage = (message: string, hint?: string): CliFailure =>
  new CliFailure('USAGE', message, hint === undefined ? {} : { hint });

/** The words of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The `code` of a system error (`ENOENT`, `ECONNREFUSED`), if it has one. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
