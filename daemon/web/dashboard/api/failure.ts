// A refused or failed request.

export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** HTTP status. 0 if there was no response. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Statuses after which the same request may succeed later: no response, too many requests, a failure of the service. */
export const isPassing = (status: number): boolean => status === 0 || status === 429 || status >= 500;

/** True if the request may have been carried out, because no response arrived, or only its beginning. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.status === 0 || error.status < 300);

/** The message of an error envelope (`message`) or of a token response (`error_description`). */
export const messageIn = (body: unknown, status: number): string => {
  if (typeof body === 'object' && body !== null) {
    const { message, error_description } = body as { message?: unknown; error_description?: unknown };
    if (typeof message === 'string') return message;
    if (typeof error_description === 'string') return error_description;
  }
  return `The service responded with status ${status}.`;
};

export const formatFailure = (error: unknown): string =>
  error instanceof Error ? error.message : 'The request failed. Try again.';

/** Why a read failed. Undefined if there was no response: the banner of the page says it, until the next response. */
export const formatReadFailure = (error: unknown): string | undefined =>
  error instanceof ApiFailure && error.status === 0 ? undefined : formatFailure(error);
