// The error of the libraries: the failure of a command, with the parts that a program reads.
import type { FailureCode } from '../contract/failure-codes.ts';
import { CliFailure } from '../failure.ts';

export class ActorctlError extends Error {
  override readonly name = 'ActorctlError';
  readonly code: FailureCode;
  /** HTTP status of the response, if there was one. */
  readonly status: number | undefined;
  /** Id of the request, if the service answered. */
  readonly requestId: string | undefined;
  /** What to do next. */
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor({ code, message, extras }: CliFailure) {
    super(message, { cause: extras.cause });
    this.code = code;
    this.status = extras.httpStatus;
    this.requestId = extras.requestId;
    this.hint = extras.hint;
    this.details = extras.details ?? {};
  }
}

/** The error that a caller of the libraries receives. */
export const asError = (error: unknown): unknown => (error instanceof CliFailure ? new ActorctlError(error) : error);

export const inErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw asError(error);
  }
};
