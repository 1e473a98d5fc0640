// `env`: prints environment variables that connect other programs to the same service, in the syntax of a shell.

import type { ClientCredentials } from '../../client/grant.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import { singleQuoted } from '../../local/single-quoted.ts';
import { OwnNames } from '../../ui/format/names.ts';
import { action } from '../framework/command.ts';
import { choice, flag } from '../framework/option.ts';
import { clientOfLogin, introspect, tenantOf } from '../login/own-tokens.ts';

const shells = ['sh', 'fish', 'powershell', 'dotenv', 'json', 'github', 'agave'] as const;
type Shell = (typeof shells)[number];

type Variables = Readonly<Record<string, string>>;

const lineOf: Readonly<Record<Exclude<Shell, 'json' | 'agave'>, (name: string, value: string) => string>> = {
  sh: (name, value) => `export ${name}=${singleQuoted(value)}`,
  fish: (name, value) => `set -gx ${name} '${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
  powershell: (name, value) => `$Env:${name} = '${value.replaceAll("'", "''")}'`,
  dotenv: (name, value) => `${name}="${value.replace(/["\\$`]/g, '\\$&')}"`,
  github: (name, value) => `${name}=${value}`,
};

export const render = (shell: Exclude<Shell, 'agave'>, variables: Variables): string => {
  if (shell === 'json') return JSON.stringify(variables, null, 2);
  for (const [name, value] of Object.entries(variables)) {
    // A line break would start another variable in the dotenv and GitHub formats.
    if (/[\r\n\0]/.test(value)) throw usage(`the value of ${name} has several lines, which this format cannot hold`);
  }
  return Object.entries(variables)
    .map(([name, value]) => lineOf[shell](name, value))
    .join('\n');
};

/** The tenant of a login, from the context, or else from the introspection of the token. */
const tenantIdOf = async (context: CommandContext, client: ClientCredentials, token: string): Promise<string> =>
  context.settings.tenant ?? tenantOf(await introspect(context, client, token)) ?? '';

/** The origin of the https listener, which agavepy needs, if the service is a daemon of this machine that has one. */
const secureOrigin = async ({ settings, local }: CommandContext): Promise<string | undefined> => {
  if (settings.baseUrl !== undefined) return undefined;
  const found = await (await local()).locate();
  return found.state === 'running' ? found.status.legacy?.baseUrl : undefined;
};

/** The cache file of agavepy, abaco-cli and tapis-cli. @see docs/legacy.md */
export const agave = async (context: CommandContext): Promise<Readonly<Record<string, string | number>>> => {
  const { credentials, settings, session, origin, serviceClock } = context;
  await session.tokenToHandOut();
  const record = (await credentials.read(settings.account))?.record ?? {};
  const { login } = record;
  if (!login) throw new CliFailure('AUTH_REQUIRED', 'you are not logged in', { hint: 'actorctl login' });
  const client = clientOfLogin(login, record);
  if (client?.secret === undefined || login.refreshToken === undefined) {
    throw usage(
      'the agave format needs a client with a secret, and a refresh token',
      'run actorctl login --flow password first',
    );
  }
  const baseUrl = (await secureOrigin(context)) ?? (await origin());
  const expiresAt = login.expiresAt ?? serviceClock.now();
  return {
    tenantid: await tenantIdOf(context, client, login.accessToken),
    baseurl: baseUrl,
    devurl: '',
    apisecret: client.secret,
    apikey: client.id,
    username: login.username ?? '',
    access_token: login.accessToken,
    refresh_token: login.refreshToken,
    created_at: Math.floor(serviceClock.now() / 1_000),
    expires_in: Math.max(0, Math.floor((expiresAt - serviceClock.now()) / 1_000)),
    expires_at: new Date(expiresAt).toUTCString(),
  };
};

export const envCommand = action({
  options: {
    shell: choice('--shell <shell>', `${shells.join(', ')} (default: sh)`, shells),
    withToken: flag('--with-token', 'include an access token'),
  },
  examples: [
    'eval "$(actorctl env --with-token)"',
    'actorctl env --shell github --with-token >> "$GITHUB_ENV"',
    '(umask 077 && actorctl env --shell agave > ~/.agave/current)',
  ],
  run: async (context, _args, { shell = 'sh', withToken }) => {
    const { output, origin, session } = context;
    if (shell === 'agave') {
      if (output.tty && !withToken) {
        throw usage(
          'the agave format contains secrets and is not printed on a terminal',
          'redirect it to a file, or add --with-token',
        );
      }
      const file = await agave(context);
      output.report(JSON.stringify(file), new OwnNames(file));
      return 0;
    }
    const variables = {
      ACTORCTL_BASE_URL: await origin(),
      ...(withToken && { ACTORCTL_TOKEN: await session.tokenToHandOut() }),
    };
    output.report(render(shell, variables), new OwnNames(variables));
    return 0;
  },
});
