// Settings of one run of the command line: flag > ACTORCTL_* > project > context > file > default, resolved once.

/** Everything a run depends on beside its own arguments. Secrets among them are never printed. */
export interface Settings {
  /** Name of the context; `local` when none is named: the daemon of the instance. */
  readonly context: string;
  readonly instance: string;
  readonly output: 'table' | 'wide' | 'name' | 'id' | 'json' | 'ndjson' | 'yaml' | 'env';
  readonly color: 'auto' | 'always' | 'never';
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly debug: boolean;
  readonly noInput: boolean;
  readonly yes: boolean;
  /** Start the local daemon when it is down. */
  readonly autostart: boolean;
  /** Milliseconds for one request. */
  readonly timeoutMs: number;
  /** Origin of the service, when it is not the local daemon. */
  readonly baseUrl?: string;
  readonly tokenFile?: string;
  /** Secret. */
  readonly token?: string;
  readonly clientId?: string;
  /** Secret. */
  readonly clientSecret?: string;
  readonly credentialStore: 'auto' | 'keychain' | 'file' | 'memory';
  readonly daemon: { readonly port: number | 'auto'; readonly bind: string };
  readonly dockerHost?: string;
  /** For the first `up`; the password is secret. */
  readonly admin: { readonly username?: string; readonly password?: string };
}
