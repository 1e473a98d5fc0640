// `env`: what other programs need to know to talk to the same service, in the words of their shell.
import type { ClientCredentials } from '../../client/grant.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import { action } from '../kernel/command.ts';
import { choice, flag } from '../kernel/option.ts';
import { clientOfLogin, introspect } from '../login/own-tokens.ts';

const shells = ['sh', 'fish', 'powershell', 'dotenv', 'json', 'github', 'agave'] as const;
type Shell = (typeof shells)[number];

type Variables = Readonly<Record<string, string>>;

const singleQuoted = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

/** A line for each variable, as each kind of reader wants it. */
const lineOf: Readonly<Record<Exclude<Shell, 'json' | 'agave'>, (name: string, value: string) => string>> = {
  sh: (name, value) => `export ${name}=${singleQuoted(value)}`,
  fish: (name, value) => `set -gx ${name} '${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
  powershell: (name, value) => `$Env:${name} = '${value.replaceAll("'", "''")}'`,
  dotenv: (name, value) => `${name}="${value.replace(/["\\$`]/g, '\\$&')}"`,
  github: (name, value) => `${name}=${value}`,
};

/** The variables as text. */
export const render = (shell: Exclude<Shell, 'agave'>, variables: Variables): string => {
  if (shell === 'json') return JSON.stringify(variables, null, 2);
  for (const [name, value] of Object.entries(variables)) {
    // A line end would begin another variable in the files of dotenv and GitHub.
    if (/[\r\n\0]/.test(value)) throw usage(`the value of ${name} does not fit on a line`);
  }
  return Object.entries(variables)
    .map(([name, value]) => lineOf[shell](name, value))
    .join('\n');
};

/** The tenant of a login: as the context says, or as the service says of the token. */
const tenantOf = async (context: CommandContext, client: ClientCredentials, token: string): Promise<string> => {
  if (context.settings.tenant !== undefined) return context.settings.tenant;
  const { sub = '' } = await introspect(context, client, token);
  return sub.split('/')[0] ?? '';
};

/** The cache file of agavepy, abaco-cli and tapis-cli. @see facts 9.5 */
const agave = async (context: CommandContext): Promise<Readonly<Record<string, string | number>>> => {
  const { credentials, settings, session, origin, now } = context;
  await session.token();
  const record = (await credentials.read(settings.account))?.record ?? {};
  const { login } = record;
  if (!login) throw new CliFailure('AUTH_REQUIRED', 'you are not logged in', { hint: 'actorctl login' });
  const client = clientOfLogin(login, record);
  if (client?.secret === undefined || login.refreshToken === undefined) {
    throw usage(
      'that file needs a client with a secret and a refresh token',
      'actorctl login --flow password, then again',
    );
  }
  const baseUrl = await origin();
  const expiresAt = login.expiresAt ?? now();
  return {
    tenantid: await tenantOf(context, client, login.accessToken),
    baseurl: baseUrl,
    devurl: '',
    apisecret: client.secret,
    apikey: client.id,
    username: login.username ?? '',
    access_token: login.accessToken,
    refresh_token: login.refreshToken,
    created_at: Math.floor(now() / 1_000),
    expires_in: Math.max(0, Math.floor((expiresAt - now()) / 1_000)),
    expires_at: new Date(expiresAt).toUTCString(),
  };
};

/** `env` */
export const envCommand = action({
  options: {
    shell: choice('--shell <shell>', `${shells.join(', ')}; the default is sh`, shells),
    withToken: flag('--with-token', 'an access token too'),
  },
  examples: [
    'eval "$(actorctl env --with-token)"',
    'actorctl env --shell github --with-token >> "$GITHUB_ENV"',
    'actorctl env --shell agave > ~/.agave/current',
  ],
  run: async (context, _args, { shell = 'sh', withToken }) => {
    const { output, origin, session } = context;
    if (shell === 'agave') {
      if (output.tty && !withToken) {
        throw usage('this holds secrets and is not printed on a terminal', 'send it to a file, or add --with-token');
      }
      const file = await agave(context);
      output.result(JSON.stringify(file), file);
      return 0;
    }
    const variables = {
      ACTORCTL_BASE_URL: await origin(),
      ...(withToken && { ACTORCTL_TOKEN: await session.token() }),
    };
    output.result(render(shell, variables), variables);
    return 0;
  },
});
