// Which token a request carries: found once by rank, renewed near its end under a lock, never lost to a network error.

/** Where a token comes from. */
export type TokenSource = 'keychain' | 'file' | 'memory' | 'token-file' | 'env:ACTORCTL_TOKEN' | 'client-credentials';

/** What is known of the login, without any secret. */
export interface Identity {
  readonly source: TokenSource;
  /** Null for an opaque token that was not checked. */
  readonly username: string | null;
  readonly tenant: string | null;
  readonly flow: string | null;
  readonly client: string | null;
  /** Milliseconds since the epoch; null when unknown. */
  readonly expiresAt: number | null;
  readonly refreshable: boolean;
}

export interface Session {
  /** Who the next request would be; undefined without any credential. Never asks a server. */
  readonly identity: () => Promise<Identity | undefined>;
  /**
   * The access token to send, renewed when it is about to expire.
   * @throws CliFailure AUTH_REQUIRED without any credential, TOKEN_EXPIRED when it ran out and cannot be renewed
   */
  readonly token: () => Promise<string>;
  /**
   * A new token in place of one that was refused, or undefined when it cannot be renewed.
   * @throws CliFailure NETWORK, DAEMON_NOT_RUNNING; credentials stay
   */
  readonly renew: (refused: string) => Promise<string | undefined>;
}
