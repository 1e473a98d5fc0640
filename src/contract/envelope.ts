// The envelope around every response of the actor service. @see docs/http-api.md#envelope

/**
 * Version of the Abaco API that the service implements, not the version of this program. @see docs/http-api.md#envelope
 */
export const SERVICE_VERSION = '1.9.1';

/** The JSON object in which a response carries its result. @see docs/http-api.md#envelope */
export interface Envelope<Result> {
  readonly message: string;
  readonly result: Result;
  readonly status: 'success' | 'error';
  readonly version: string;
  /**
   * Only with status 401. The Python client agavepy reads it to decide whether to refresh the token.
   * @see docs/http-api.md#errors
   */
  readonly fault?: { readonly code: number; readonly message: string; readonly description: string };
}
