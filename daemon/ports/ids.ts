// Port of random ids and secrets.

export interface Ids {
  /** 13 characters `[A-Za-z0-9]`, the first a letter: actors, executions, workers. @see docs/http-api.md#actors */
  id(): string;
  /** 256 random bits, base64url: tokens, secrets. */
  secret(): string;
}
