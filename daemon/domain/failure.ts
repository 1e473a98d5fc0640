// The error that rules and services throw; the HTTP layer turns it into a response.
import type { FailureCode } from '../../src/contract/failure-codes.ts';

/** A refusal or a fault, worded for the person who made the request: what happened, why, and what to do. */
export class Failure extends Error {
  readonly code: FailureCode;
  /** Machine-readable details for the response. They never contain a secret. */
  readonly detail: Readonly<Record<string, unknown>> | undefined;

  constructor(code: FailureCode, message: string, detail?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'Failure';
    this.code = code;
    this.detail = detail;
  }
}
