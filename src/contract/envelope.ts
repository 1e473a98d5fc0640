// The envelope around every response of the actor service. @see docs/protocol.md 2.3

/** Version of the Abaco service whose API this is, not of this program. @see docs/protocol.md 9, 9.2 */
export const SERVICE_VERSION = '1.9.1';

/** @see docs/protocol.md 2.3 */
export interface Envelope<Result> {
  readonly message: string;
  readonly result: Result;
  readonly status: 'success' | 'error';
  readonly version: string;
  /** Only with status 401. The Python client agavepy reads it to decide whether to refresh the token. @see docs/protocol.md 11.6 */
  readonly fault?: { readonly code: number; readonly message: string; readonly description: string };
}
