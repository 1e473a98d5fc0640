// The flags of `login`, and the client that they select.
import type { ClientCredentials } from '../../client/grant.ts';
import { CALLBACK_PORTS, redirectUriOf } from '../../client/login/listener.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import type { Login } from '../../local/credentials/account-record.ts';
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
  username: text('--username <name>', 'user name; without --terminal it selects the password flow'),
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

/** Returns the chosen client. The client counts as public if actorctl cannot prompt for its secret. */
export const clientOf = async (
  { prompt, settings }: CommandContext,
  given: LoginOptions,
  flow: Login['flow'],
  secret: string | undefined,
): Promise<ClientCredentials | undefined> => {
  const id = given.client ?? settings.loginClient;
  if (id === undefined) {
    if (secret !== undefined) throw usage('--client-secret-stdin needs --client');
    return undefined;
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
  if (client === undefined) refuseOtherPort(given.callbackPort);
  return {
    flow,
    ...(client && { client }),
    ...(given.callbackPort !== undefined && { callbackPort: given.callbackPort }),
    showDialog: given.showDialog,
    terminal: given.terminal,
    browser: given.browser,
    ...(given.username !== undefined && { username: given.username }),
    ...(secrets.password !== undefined && { password: secrets.password }),
    narrate,
  };
};
