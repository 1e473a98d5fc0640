// Texts of `actorctl help TOPIC`.

/** A help page that is not about a single command. */
export interface Topic {
  readonly name: string;
  /** As the summary of a command. */
  readonly summary: string;
  readonly text: string;
}

const exitCodes = `Exit codes

    0  success, also for an empty list
    1  any error that is not listed below
    2  usage error: invalid flag, argument, field or document
    3  a prompt was needed but is not possible; the message names the flag to use instead
    4  not authenticated: no credential, or an invalid or expired one
    5  forbidden
    6  not found
    7  conflict: already exists, busy, or port in use
    8  the wait timed out, the work continues
    9  the daemon is not running, unreachable or too old
   10  the container engine, the image or the worker failed
   11  the actor failed: it exited with an error, was halted, or exceeded its time limit
   12  differences were found
  130  interrupted (SIGINT)
  143  terminated (SIGTERM)

With -o json an error is a JSON object on stderr:
  {"error":{"code":"NOT_FOUND","category":"not_found","http_status":404,"message":"…","hint":"…","retryable":false}}
`;

const environment = `Environment

  A setting is taken from the first of: flag, variable, actorctl.json of the project (context and instance only),
  context, settings.json, default.

  ACTORCTL_HOME              one folder for all files (default: the XDG folders)
  ACTORCTL_CONTEXT           same as --context
  ACTORCTL_INSTANCE          same as --instance
  ACTORCTL_BASE_URL          origin of the service, instead of the local daemon
  ACTORCTL_OUTPUT            same as --output
  ACTORCTL_TIMEOUT           same as --timeout
  ACTORCTL_DEBUG             same as --debug
  ACTORCTL_NO_INPUT, CI      same as --no-input
  ACTORCTL_AUTOSTART         same as --up
  ACTORCTL_TOKEN             bearer token to use instead of the login
  ACTORCTL_CLIENT_ID, ACTORCTL_CLIENT_SECRET
                             client to get a token with instead of the login
  ACTORCTL_NONCE             same as --nonce, for commands on one actor or alias
  ACTORCTL_BROWSER, BROWSER  browser command; %s is replaced by the address, or it is appended; "none" opens no browser
  ACTORCTL_CREDENTIAL_STORE  auto, keychain, file, memory
  ACTORCTL_PORT, ACTORCTL_BIND
                             port and address of the daemon (default: port 8722, 127.0.0.1)
  ACTORCTL_ADMIN_USER, ACTORCTL_ADMIN_PASSWORD
                             admin user that the first \`up\` creates
  ACTORCTL_CONFIG_KEY_FILE   file with the encryption key of secret configs (default: config-key.json in the data folder)
  NO_COLOR, FORCE_COLOR      switch colors off or on

  settings.json in the configuration folder holds a JSON object with these keys, see actorctl settings --help:
  output, color, context, credential_store, timeout, daemon.port, daemon.bind, daemon.autostart, docker.host
`;

export const topics: readonly Topic[] = [
  { name: 'exit-codes', summary: 'Show the exit codes of all commands', text: exitCodes },
  { name: 'environment', summary: 'Show the environment variables and settings', text: environment },
];
