// Texts of `actorctl help TOPIC`.

/** A help page that is not about a single command. */
export interface Topic {
  readonly name: string;
  readonly text: string;
}

const exitCodes = `Exit codes

    0  done; also an empty list
    1  an error that is none of the following
    2  usage: a bad flag, argument, field or document
    3  a confirmation or answer was needed and could not be asked for; the message names the flag
    4  no credential, a wrong or an expired one
    5  forbidden
    6  not found
    7  conflict: exists already, busy, port taken
    8  still running: the wait is over, the work goes on
    9  the daemon is not running, cannot be reached, or is too old
   10  the container engine, the image or the worker failed
   11  the actor failed: exited non-zero, was halted, ran out of time
   12  differences were found
  130  interrupted (SIGINT)
  143  interrupted (SIGTERM)

With -o json an error is one JSON object on stderr:
  {"error":{"code":"NOT_FOUND","category":"not_found","http_status":404,"message":"…","hint":"…","retryable":false}}
`;

const environment = `Environment

  A flag outranks a variable, a variable the project file actorctl.json (context and instance only), that the
  context, that settings.json, that the default.

  ACTORCTL_HOME              one folder for everything; otherwise the XDG folders
  ACTORCTL_CONTEXT           --context
  ACTORCTL_INSTANCE          --instance
  ACTORCTL_BASE_URL          origin of the service, instead of the local daemon
  ACTORCTL_OUTPUT            --output
  ACTORCTL_TIMEOUT           --timeout
  ACTORCTL_DEBUG             --debug
  ACTORCTL_NO_INPUT, CI      --no-input
  ACTORCTL_AUTOSTART         --up
  ACTORCTL_TOKEN             bearer token to use; outranks a login
  ACTORCTL_CLIENT_ID, ACTORCTL_CLIENT_SECRET
                             client to mint a token with; outranks a login
  ACTORCTL_NONCE             --nonce; looked at by commands on one actor or alias
  ACTORCTL_BROWSER, BROWSER  command that opens a page, with the address for %s or at its end; none opens nothing
  ACTORCTL_CREDENTIAL_STORE  auto, keychain, file, memory
  ACTORCTL_PORT, ACTORCTL_BIND
                             where the daemon listens; default 127.0.0.1, port 8722
  ACTORCTL_ADMIN_USER, ACTORCTL_ADMIN_PASSWORD
                             the user that the first \`up\` creates
  ACTORCTL_CONFIG_KEY_FILE   file of the key that encrypts secret configs; default config-key.json beside the data
  NO_COLOR, FORCE_COLOR      colour off, colour on

  settings.json lies in the configuration folder and holds one object of these keys:
  output, color, context, credential_store, timeout, daemon.port, daemon.bind, daemon.autostart, docker.host
`;

export const topics: readonly Topic[] = [
  { name: 'exit-codes', text: exitCodes },
  { name: 'environment', text: environment },
];
