// The envelope that every answer of the actor service wears. @see spec 2.3

/** Version of the service whose wire we speak (not of this program). @see spec 9, wire.md "Envelope" */
export const SERVICE_VERSION = '1.9.1';

/** @see spec 2.3 */
export interface Envelope<Result> {
  readonly message: string;
  readonly result: Result;
  readonly status: 'success' | 'error';
  readonly version: string;
  /** On 401 only: what agavepy looks at to decide on a refresh. @see facts 9.4 */
  readonly fault?: { readonly code: number; readonly message: string; readonly description: string };
}
