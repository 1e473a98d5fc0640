// Port of results: receives the bytes that a running execution returns.

export interface Results {
  /**
   * Adds a result of a running execution; resolves with the number of unread results once it is durable. Results of one
   * execution keep the order of the calls.
   * @throws Failure VALIDATION when it is empty, PAYLOAD_TOO_LARGE, NOT_FOUND when the execution is not running,
   * THROTTLED when too many results are unread, STORE_UNAVAILABLE
   */
  put(executionId: string, bytes: Uint8Array): Promise<number>;
}
