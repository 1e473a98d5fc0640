// `login`: password, client credentials or a ready token; tested against the service before it is kept.
import type { ClientCredentials } from '../client/grant.ts';
import type { Context } from '../context.ts';
import { CliFailure, usage } from '../failure.ts';
import type { Login } from '../local/credentials.ts';
import { wordDuration } from '../ui/format/time.ts';
import { type Admission, type Admitted, admit, passwordGrant, refuseShadow } from './admission.ts';
import { command } from './command.ts';
import { choice, flag, text, type ValuesOf } from './option.ts';

/** Longest secret on stdin, in bytes. */
const SECRET_LIMIT = 64 * 1024;

const options = {
  flow: text('--flow <flow>', 'password (default) or client'),
  username: text('--username <name>', 'who logs in'),
  passwordStdin: flag('--password-stdin', 'read the password from stdin'),
  client: text('--client <id>', 'a client of yours instead of the built-in one'),
  clientSecretStdin: flag(
    '--client-secret-stdin',
    'read the secret of the client from stdin; with --password-stdin the first line',
  ),
  tokenStdin: flag('--token-stdin', 'read a ready access token from stdin and keep it'),
  store: choice('--store <store>', 'keychain, file or memory', ['keychain', 'file', 'memory']),
  force: flag('--force', 'replace the login of another user'),
};

type LoginOptions = ValuesOf<typeof options>;

const withoutLineEnd = (line: string): string => line.replace(/\r?\n$/, '');

/** What stdin holds: one secret, or the client's on the first line and the password on the second. */
interface Secrets {
  readonly client?: string;
  readonly password?: string;
  readonly token?: string;
}

const readSecrets = async (context: Context, given: LoginOptions): Promise<Secrets> => {
  const { passwordStdin, clientSecretStdin, tokenStdin } = given;
  if (!passwordStdin && !clientSecretStdin && !tokenStdin) return {};
  const whole = withoutLineEnd((await context.read('-', SECRET_LIMIT)).toString('utf8'));
  if (whole === '') throw usage('stdin is empty', 'pipe the secret into actorctl login');
  if (tokenStdin) return { token: whole.trim() };
  if (!clientSecretStdin) return { password: whole };
  const [client = '', ...rest] = whole.split('\n');
  const password = rest.join('\n');
  return { client: withoutLineEnd(client), ...(passwordStdin && { password }) };
};

const clientOf = async (
  context: Context,
  given: LoginOptions,
  secret: string | undefined,
): Promise<ClientCredentials | undefined> => {
  if (given.client === undefined) {
    if (secret !== undefined) throw usage('--client-secret-stdin needs --client');
    return undefined;
  }
  return {
    id: given.client,
    secret: secret ?? (await context.prompt.secret(`Secret of client ${given.client}:`, '--client-secret-stdin')),
  };
};

const byPassword = async (
  context: Context,
  given: LoginOptions,
  secrets: Secrets,
): Promise<Omit<Admission, 'force'>> => {
  const { prompt } = context;
  const client = await clientOf(context, given, secrets.client);
  const username = given.username ?? (await prompt.text('User name:', '--username'));
  const password = secrets.password ?? (await prompt.secret('Password:', '--password-stdin'));
  return { flow: 'password', obtain: passwordGrant(context, username, password, client), ...(client && { client }) };
};

const byClient = async (context: Context, given: LoginOptions, secrets: Secrets): Promise<Omit<Admission, 'force'>> => {
  const client = await clientOf(context, given, secrets.client);
  if (!client) throw usage('--flow client needs --client', 'add --client ID --client-secret-stdin');
  return {
    flow: 'client_credentials',
    client,
    obtain: () => context.grant(client, { grant_type: 'client_credentials' }),
  };
};

const flowOf = ({ flow, tokenStdin }: LoginOptions): Login['flow'] => {
  if (tokenStdin) {
    if (flow !== undefined) throw usage('--token-stdin and --flow exclude each other');
    return 'token';
  }
  if (flow === undefined || flow === 'password') return 'password';
  if (flow === 'client') return 'client_credentials';
  if (flow === 'code' || flow === 'implicit') {
    throw usage(`--flow ${flow} is not offered by this version`, 'use --flow password or --flow client');
  }
  throw usage(`--flow must be password or client, not "${flow}"`);
};

const admission = async (context: Context, given: LoginOptions): Promise<Omit<Admission, 'force'>> => {
  const flow = flowOf(given);
  const secrets = await readSecrets(context, given);
  const { token } = secrets;
  if (token !== undefined)
    return { flow: 'token', obtain: async () => ({ access_token: token, token_type: 'bearer' }) };
  return flow === 'password' ? byPassword(context, given, secrets) : byClient(context, given, secrets);
};

const renewing: Readonly<Record<Login['flow'], (login: Login) => string>> = {
  password: ({ refreshToken }) => (refreshToken === undefined ? '' : ', refreshable'),
  client_credentials: () => '; a new one is asked for when needed',
  token: () => '',
};

/** The sentence and the document about a login. */
export const describeLogin = ({ settings, now }: Context, { login, store }: Admitted) => {
  const left = login.expiresAt === null ? '' : `, expires in ${wordDuration(login.expiresAt - now())}`;
  const who = login.flow === 'client_credentials' ? `${login.username} by client ${login.clientId}` : login.username;
  return {
    sentence: `Logged in as ${who} (token in ${store}${left}${renewing[login.flow](login)})`,
    value: {
      context: settings.context,
      instance: settings.instance,
      user: login.username,
      flow: login.flow,
      client: login.clientId,
      token_source: store,
      expires_at: login.expiresAt === null ? null : new Date(login.expiresAt).toISOString(),
      refreshable: login.flow === 'client_credentials' || login.refreshToken !== undefined,
      scope: login.scope ?? null,
    },
  };
};

/** `login` */
export const loginCommand = command({
  name: 'login',
  summary: 'Logs in and keeps the token.',
  operations: ['token.create'],
  options,
  examples: [
    'actorctl login --username dev',
    'echo "$PASSWORD" | actorctl login --username dev --password-stdin',
    'echo "$SECRET" | actorctl login --flow client --client ID --client-secret-stdin',
  ],
  run: async (context, _args, given) => {
    refuseShadow(context);
    const asked = await admission(context, given);
    try {
      const admitted = await admit(context, {
        ...asked,
        force: given.force,
        ...(given.store && { store: given.store }),
      });
      const { sentence, value } = describeLogin(context, admitted);
      context.output.result(sentence, value, admitted.login.username ?? undefined);
      return 0;
    } catch (error) {
      // "actorctl login" is no advice to somebody who is logging in.
      if (!(error instanceof CliFailure) || error.extras.hint !== 'actorctl login') throw error;
      const { hint: _hint, ...extras } = error.extras;
      throw new CliFailure(error.code, error.message, extras);
    }
  },
});
