// The port of results: what hands the bytes of a running execution over.

export interface Results {
  /**
   * Adds a result of a running execution; resolves with the number of results that wait once it is durable. Those of one execution stay
   * in the order of the calls.
   * @throws Failure VALIDATION when it is empty, PAYLOAD_TOO_LARGE, NOT_FOUND when it does not run, THROTTLED when too many wait, STORE_UNAVAILABLE
   */
  put(executionId: string, bytes: Uint8Array): Promise<number>;
}
