// The envelope around every response of the actor service. @see spec 2.3

/**
 * Version of the Abaco service whose API this service implements. It is not the version of this program. @see spec 9,
 * wire.md "Envelope"
 */
export const SERVICE_VERSION = '1.9.1';

/** @see spec 2.3 */
export interface Envelope<Result> {
  readonly message: string;
  readonly result: Result;
  readonly status: 'success' | 'error';
  readonly version: string;
  /** Only with status 401. The Python client agavepy reads it to decide whether to refresh the token. @see facts 9.4 */
  readonly fault?: { readonly code: number; readonly message: string; readonly description: string };
}
