// Texts of `actorctl help TOPIC`.

export interface Topic {
  readonly name: string;
  /** One line, in the style of a command summary. */
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
   10  the container engine, the image or the worker failed, or the execution ended in ERROR
   11  the actor failed: it exited with an error, was halted, or exceeded its time limit
   12  differences were found
  129  terminal closed (SIGHUP)
  130  interrupted (SIGINT), or a confirmation was answered with no
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
  ACTORCTL_REQUEST_TIMEOUT   same as --request-timeout
  ACTORCTL_DEBUG             same as --debug
  ACTORCTL_NO_INPUT, CI      same as --no-input
  ACTORCTL_AUTOSTART         same as --autostart
  ACTORCTL_TOKEN             bearer token to use instead of the login
  ACTORCTL_CLIENT_ID, ACTORCTL_CLIENT_SECRET
                             client to get a token with instead of the login
  ACTORCTL_NONCE             same as --nonce, for commands on one actor or alias
  ACTORCTL_BROWSER, BROWSER  browser command; %s is replaced by the address, or it is appended; "none" opens no browser
  ACTORCTL_CREDENTIAL_STORE  auto, keychain, file, memory
  ACTORCTL_PORT, ACTORCTL_BIND
                             port and address of the daemon (default: port of the last start, else 8722; 127.0.0.1)
  ACTORCTL_PUBLIC_URL        URL at which people reach the daemon
  ACTORCTL_ADMIN_USER, ACTORCTL_ADMIN_PASSWORD
                             admin user that the first \`up\` creates
  ACTORCTL_CONFIG_KEY_FILE   file with the encryption key of secret configs (default: config-key.json in the data folder)
  NO_COLOR, FORCE_COLOR      switch colors off or on

  Keys of settings.json, see actorctl settings --help:
  output, color, context, credential_store, request_timeout, daemon.autostart, daemon.port, daemon.bind,
  daemon.public_url, daemon.engine, daemon.registry, daemon.advertise_url, docker.host, legacy
`;

const files = `Files

  With ACTORCTL_HOME everything is below that folder: config, data, state.
  Without it the folders are:

  ~/.config/actorctl        settings.json, contexts.json, credentials.json (mode 0600, without a keychain)
  ~/.local/share/actorctl   data of each instance: records, logs, message bodies, keys
  ~/.local/state/actorctl   daemon.sock, daemon.json, daemon.log, start.lock of each instance

  XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME move them.

  actorctl.json             in a project: the actor of this folder, and its context and instance
  .actorctl/actor           in a project: the name of the actor, if it differs from actorctl.json

  See also: actorctl help environment, actorctl docs operations
`;

const output = `Output

  Results go to stdout. Notes, questions, progress and errors go to stderr.

  -o table, wide      columns; in a pipe separated by tabs, with exact times
  -o name, id         one per line; -q prints ids
  -o json, --json     one value: the thing, or an array
  -o ndjson           one JSON value per line; streams (logs, events tail) print this with --json too
  -o yaml, env        YAML; NAME=value lines of one object

  --fields a,b.c      only these fields (to list them: --fields help)
  --jq EXPRESSION     filter the JSON with jq; -r prints strings without quotes
  --template TEXT     a line per item, {{field}} is replaced
  --filter KEY=VALUE  in lists: only matching rows; also --sort, --limit, --offset, --all

  Examples:
    actorctl actors list --jq '.[].id' -r
    actorctl executions list --failed --fields id,actor_name,exit_code
    actorctl actors list --template '{{name}} {{status}}'

  With JSON output an error is a JSON object on stderr: actorctl help exit-codes
`;

const actors = `Actors

  An actor is a container image, or a folder with a program, that runs once for each message.

    actorctl actors init hello --template python    write a new actor
    actorctl actors deploy hello                    build it and create or update it
    actorctl run hello -m "hi"                      send a message, show the log, wait for the end
    actorctl logs hello -f                          follow its executions

  An actor is named by its id, an alias, or its name if no other actor has it: id:X and alias:X force one of the two.
  In a folder with actorctl.json the actor may be left out.
  An execution is named by its id, @last, @last:failed, ACTOR@last or ACTOR@last:failed.

  The program finds the message in the variable MSG and its own data in variables like _svc_actor_id.
  A stateful actor runs one message at a time and keeps a state: actorctl state --help

  See also: actorctl docs cli, actorctl docs http-api
`;

const login = `Login

  actorctl up --login                 start the daemon and log in as its first user
  actorctl login                      log in through the browser
  actorctl login --terminal           log in and approve in this terminal
  actorctl login --flow password      user name and password, asked for; --password-stdin for scripts
  actorctl whoami                     who the next request acts as, and with which credential
  actorctl logout                     end the login here and at the service

  The credential of a request is the first of: --token-file, ACTORCTL_TOKEN, ACTORCTL_CLIENT_ID with
  ACTORCTL_CLIENT_SECRET, the stored login. A stored token is renewed before it expires.
  Logins are kept in the keychain of the system, else in a file that only you can read.

  Several users: actorctl auth list, actorctl auth switch NAME
  Without a login: actorctl nonces create ACTOR gives an id for --nonce

  See also: actorctl docs oauth, actorctl docs security
`;

const events = `Events

  The service records events of actors:

    ACTOR_READY          the actor can run
    ACTOR_ERROR          the actor cannot run; the event says why
    EXECUTION_COMPLETE   an execution has ended, with its exit code
    other types          emitted by hand: actorctl events emit

  actorctl events list --since 1h                   stored events
  actorctl events tail --actor wordcount            events as they happen
  actorctl events tail --cursor-file F              continue after the last printed event
  actorctl links set wordcount next                 send events of an actor to another actor, as messages
  actorctl webhooks set wordcount URL               post events of an actor to a URL
  actorctl webhooks listen --actor wordcount        receive them on this machine
  actorctl why @last                                the cause and the effects of an execution

  See also: actorctl docs cli
`;

export const topics: readonly Topic[] = [
  { name: 'exit-codes', summary: 'Show the exit codes of all commands', text: exitCodes },
  { name: 'environment', summary: 'Show the environment variables and settings', text: environment },
  { name: 'files', summary: 'Show where files are', text: files },
  { name: 'output', summary: 'Show how output is chosen and shaped', text: output },
  { name: 'actors', summary: 'Explain actors and executions', text: actors },
  { name: 'login', summary: 'Explain logins and credentials', text: login },
  { name: 'events', summary: 'Explain events, links and webhooks', text: events },
];
