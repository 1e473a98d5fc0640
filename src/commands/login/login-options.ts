// The flags of `login`, and the client that they select.
import type { ClientCredentials } from '../../client/grant.ts';
import type { CommandContext } from '../../context.ts';
import { CALLBACK_PORTS, cliClientId, redirectUriOf, tenantOfCliClient } from '../../contract/cli-client.ts';
import { CliFailure, usage } from '../../failure.ts';
import type { Login } from '../../local/credentials/account-record.ts';
import { splitUserName } from '../../local/credentials/login-names.ts';
import { choice, flag, integer, text, type ValuesOf } from '../framework/option.ts';
import type { Narrate } from './explain-requests.ts';
import type { BrowserLogin } from './login-browser.ts';
import type { Secrets } from './login-secrets.ts';

export const loginOptions = {
  flow: choice('--flow <flow>', 'code (default), implicit, password or client', [
    'code',
    'implicit',
    'password',
    'client',
  ]),
  username: text('--username <name>', 'user name, or TENANT/NAME; the password is asked for here'),
  passwordStdin: flag('--password-stdin', 'read the password from stdin'),
  client: text('--client <id>', 'client id (default: the client of actorctl)', 'client'),
  clientSecretStdin: flag(
    '--client-secret-stdin',
    'read the client secret from stdin; with --password-stdin from its first line',
  ),
  tokenStdin: flag('--token-stdin', 'read an access token from stdin and store it'),
  terminal: flag('--terminal', 'log in and approve in this terminal, without a browser'),
  /** False if the flag is given. */
  browser: flag('--no-browser', 'print the address only, open no browser (to choose one: BROWSER, ACTORCTL_BROWSER)'),
  callbackPort: integer(
    '--callback-port <n>',
    'local port that the browser is redirected to: 8731 to 8735, or any with --client',
    {
      min: 1,
      max: 65_535,
    },
  ),
  showDialog: flag('--show-dialog', 'implicit flow: ask for approval even if it was given before'),
  start: flag('--start', 'print the address and exit; --complete finishes the login'),
  complete: text('--complete <answer>', 'finish a --start login with the code or redirect address; - reads stdin'),
  store: choice('--store <store>', 'where to store the token: keychain, file or memory', [
    'keychain',
    'file',
    'memory',
  ]),
  force: flag('--force', 'replace the login of another user'),
  explain: flag('--explain', 'print each request on stderr, with secrets masked'),
};

export type LoginOptions = ValuesOf<typeof loginOptions>;

/**
 * True if the login uses the public client of actorctl: no client is chosen, and the service is not the local daemon or
 * a tenant is named. The local daemon gives actorctl a client with a secret, for its first tenant.
 */
const usesPublicClient = ({ settings }: Pick<CommandContext, 'settings'>, given: LoginOptions): boolean =>
  (given.client ?? settings.loginClient) === undefined &&
  (settings.baseUrl !== undefined || tenantOf({ settings }, given) !== undefined);

const tenantOf = ({ settings }: Pick<CommandContext, 'settings'>, { username }: LoginOptions): string | undefined =>
  splitUserName(username).tenant ?? settings.tenant;

const flows = {
  code: 'authorization_code',
  implicit: 'implicit',
  password: 'password',
  client: 'client_credentials',
} as const;

/** Selects the flow. If neither a prompt nor a browser is possible, the login is refused instead of waiting. */
export const flowOf = (context: CommandContext, given: LoginOptions): Login['flow'] => {
  const { prompt, browser, settings } = context;
  const { flow, tokenStdin, terminal, start, complete } = given;
  if (tokenStdin) {
    if (flow !== undefined) throw usage('--token-stdin and --flow cannot be used together');
    return 'token';
  }
  const isPublic = usesPublicClient(context, given);
  if (flow !== undefined) {
    if (isPublic && flow !== 'code')
      throw usage(`--flow ${flow} needs a client that you registered`, 'add --client ID, or remove --flow');
    return flows[flow];
  }
  if (terminal || start || complete !== undefined) return 'authorization_code';
  if (isUserNamed(given)) return isPublic ? 'authorization_code' : 'password';
  const absence = given.browser ? browser.absence() : '--no-browser was given';
  if (prompt.allowed || (absence === undefined && !settings.noInput)) return 'authorization_code';
  throw new CliFailure('CONFIRMATION_REQUIRED', 'cannot log in: no browser and no terminal', {
    hint: 'use --username NAME --password-stdin, --flow client --client ID --client-secret-stdin, or --start',
  });
};

/** True if user name or password are given and no flag chooses another way to log in. */
const isUserNamed = ({ flow, terminal, start, complete, username, passwordStdin }: LoginOptions): boolean =>
  flow === undefined && !terminal && !start && complete === undefined && (username !== undefined || passwordStdin);

/** Returns the chosen client. The client counts as public if actorctl cannot prompt for its secret. */
export const clientOf = async (
  context: CommandContext,
  given: LoginOptions,
  flow: Login['flow'],
  secret: string | undefined,
): Promise<ClientCredentials | undefined> => {
  const { prompt, settings, session } = context;
  const id = given.client ?? settings.loginClient;
  if (id === undefined) {
    if (secret !== undefined) throw usage('--client-secret-stdin needs --client');
    if (!usesPublicClient(context, given)) return undefined;
    const tenant = tenantOf(context, given);
    return tenant === undefined ? session.ownClient() : { id: cliClientId(tenant) };
  }
  // The implicit flow has no client authentication.
  if (flow === 'implicit') return { id };
  const known = secret ?? settings.clientSecret;
  if (known !== undefined) return { id, secret: known };
  const mayBePublic = flow === 'authorization_code';
  if (mayBePublic && !prompt.allowed) return { id };
  const asked = await prompt.secret(
    mayBePublic ? `Secret of client ${id} (empty for a public client):` : `Secret of client ${id}:`,
    '--client-secret-stdin',
  );
  return asked === '' && mayBePublic ? { id } : { id, secret: asked };
};

/** Refuses a port that is not registered for the client of actorctl, before any request is sent. */
const refuseOtherPort = (port: number | undefined): void => {
  if (port === undefined || CALLBACK_PORTS.some((registered) => registered === port)) return;
  throw new CliFailure('REDIRECT_URI_MISMATCH', `${redirectUriOf(port)} is not registered for the client of actorctl`, {
    hint: `choose one of the ports ${CALLBACK_PORTS.join(', ')}, or log in with your own client: --client ID`,
    details: { redirect_uri: redirectUriOf(port), tried_by_default: CALLBACK_PORTS.map(redirectUriOf) },
  });
};

/** @throws CliFailure REDIRECT_URI_MISMATCH for a port that the client of actorctl cannot use */
export const browserLogin = async (
  context: CommandContext,
  given: LoginOptions,
  flow: BrowserLogin['flow'],
  secrets: Secrets,
  narrate: Narrate,
): Promise<BrowserLogin> => {
  const client = await clientOf(context, given, flow, secrets.client);
  if (client === undefined || tenantOfCliClient(client.id) !== undefined) refuseOtherPort(given.callbackPort);
  const isApproved = isUserNamed(given);
  return {
    flow,
    ...(client && { client }),
    ...(given.callbackPort !== undefined && { callbackPort: given.callbackPort }),
    showDialog: given.showDialog,
    terminal: given.terminal || isApproved,
    isApproved,
    browser: given.browser,
    ...(given.username !== undefined && { username: splitUserName(given.username).username }),
    ...(secrets.password !== undefined && { password: secrets.password }),
    narrate,
  };
};
