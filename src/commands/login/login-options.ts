// The flags of `login`, and which client they mean.
import type { ClientCredentials } from '../../client/grant.ts';
import type { CommandContext } from '../../context.ts';
import { usage } from '../../failure.ts';
import type { Login } from '../../local/credentials/account-record.ts';
import { choice, flag, integer, text, type ValuesOf } from '../kernel/option.ts';
import type { Narrate } from './explain-requests.ts';
import type { BrowserLogin } from './login-browser.ts';
import type { Secrets } from './login-secrets.ts';

/** Flags of `login`. */
export const loginOptions = {
  flow: choice('--flow <flow>', 'code (default), implicit, password or client', [
    'code',
    'implicit',
    'password',
    'client',
  ]),
  username: text('--username <name>', 'who logs in; without --terminal the flow is password then'),
  passwordStdin: flag('--password-stdin', 'read the password from stdin'),
  client: text('--client <id>', 'a client of yours instead of the built-in one'),
  clientSecretStdin: flag(
    '--client-secret-stdin',
    'read the secret of the client from stdin; with --password-stdin the first line',
  ),
  tokenStdin: flag('--token-stdin', 'read a ready access token from stdin and keep it'),
  terminal: flag('--terminal', 'log in and approve in this terminal, without any browser'),
  /** False when given. */
  browser: flag('--no-browser', 'open no browser; only say the address (BROWSER, ACTORCTL_BROWSER name one)'),
  callbackPort: integer('--callback-port <n>', 'port that the browser comes back to', { min: 1, max: 65_535 }),
  showDialog: flag('--show-dialog', 'implicit flow: ask for approval even where it was given before'),
  start: flag('--start', 'only say the address, and end; --complete goes on'),
  complete: text('--complete <answer>', 'the code or address that the browser ended at after --start; - reads stdin'),
  store: choice('--store <store>', 'keychain, file or memory', ['keychain', 'file', 'memory']),
  force: flag('--force', 'take the place of the login of another user'),
  explain: flag('--explain', 'tell each request, with secrets masked'),
};

/** Their values. */
export type LoginOptions = ValuesOf<typeof loginOptions>;

/** The client that was named; a public one when nobody can be asked for its secret. */
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
  // A token of the implicit flow is given without the client proving itself.
  if (flow === 'implicit') return { id };
  const known = secret ?? settings.clientSecret;
  if (known !== undefined) return { id, secret: known };
  const mayBePublic = flow === 'authorization_code';
  if (mayBePublic && !prompt.allowed) return { id };
  const asked = await prompt.secret(
    mayBePublic ? `Secret of client ${id}, nothing for a public one:` : `Secret of client ${id}:`,
    '--client-secret-stdin',
  );
  return asked === '' && mayBePublic ? { id } : { id, secret: asked };
};

/** What the authorization endpoint is asked on behalf of. */
export const browserLogin = async (
  context: CommandContext,
  given: LoginOptions,
  flow: BrowserLogin['flow'],
  secrets: Secrets,
  narrate: Narrate,
): Promise<BrowserLogin> => {
  const client = await clientOf(context, given, flow, secrets.client);
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
