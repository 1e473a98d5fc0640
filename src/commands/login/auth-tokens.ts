// `auth token`, `auth refresh`, `auth revoke`, `auth inspect`: the access token of the login.
import type { ClientCredentials } from '../../client/grant.ts';
import { shadowOf } from '../../client/identity.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure, stoppedAfter, usage } from '../../failure.ts';
import { type AccountRecord, type Login, withoutLogins } from '../../local/credentials/account-record.ts';
import { userNames } from '../../local/credentials/login-names.ts';
import { formatDuration, parseDuration } from '../../ui/format/time.ts';
import { command } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { flag, optional, parsed, text } from '../framework/option.ts';
import { clientOfLogin, introspect, revokeLogin, revokeToken } from './own-tokens.ts';
import { endLogin, ofUser } from './service-logins.ts';

const recordOf = async ({ credentials, settings }: CommandContext): Promise<AccountRecord> =>
  (await credentials.read(settings.account))?.record ?? {};

const notLoggedIn = (): CliFailure =>
  new CliFailure('AUTH_REQUIRED', 'you are not logged in', { hint: 'actorctl login' });

/** Whole seconds until the time; null if it is unknown. */
const secondsLeft = (expiresAt: number | null, now: number): number | null =>
  expiresAt === null ? null : Math.max(0, Math.floor((expiresAt - now) / 1_000));

/**
 * Only `-` is accepted, because other users of the machine can read command lines.
 * @see docs/conformance/security.md R144
 */
const fromStdin = async ({ readSecrets }: CommandContext, source: string): Promise<string> => {
  if (source !== '-')
    throw usage('a token must not be given on the command line', 'pipe it in and give - as the argument');
  const [token = ''] = await readSecrets(['Token']);
  return token.trim();
};

const clientNamed = async (
  { session, settings, prompt }: CommandContext,
  id: string | undefined,
): Promise<ClientCredentials> => {
  if (id === undefined) return session.ownClient();
  const secret = settings.clientSecret ?? (await prompt.secret(`Secret of client ${id}:`, 'ACTORCTL_CLIENT_SECRET'));
  return { id, secret };
};

const clientOption = text(
  '--client <id>',
  'client that the token was issued to (secret: ACTORCTL_CLIENT_SECRET)',
  'client',
);

export const token = command({
  name: 'token',
  summary: 'Print the access token, renewed if it expires soon',
  options: {
    minTtl: parsed('--min-ttl <duration>', 'renew a token that expires sooner than this (default 60s)', (value) =>
      parseDuration(value),
    ),
    show: flag('--show', 'print the token even on a terminal'),
  },
  examples: ['curl -H "Authorization: Bearer $(actorctl auth token)" http://127.0.0.1:8722/profiles/v2/me'],
  run: async ({ session, output, serviceClock }, _args, { minTtl, show }) => {
    if (output.tty && !show) {
      throw usage('the token is not printed on a terminal', 'use $(actorctl auth token), or add --show');
    }
    const value = await session.tokenToHandOut(minTtl);
    const expiresIn = secondsLeft((await session.identity())?.expiresAt ?? null, await serviceClock.ask());
    if (minTtl !== undefined && expiresIn !== null && expiresIn * 1_000 < minTtl - 1_000) {
      throw new CliFailure('TOKEN_EXPIRED', `cannot get a token that is valid for ${formatDuration(minTtl)}`, {
        hint: 'actorctl login',
      });
    }
    output.report(value, { access_token: value, token_type: 'bearer', expires_in: expiresIn }, value);
    return 0;
  },
});

export const refresh = command({
  name: 'refresh',
  summary: 'Renew the access token now',
  details: 'Uses the refresh token of the login, or its client credentials.',
  operations: ['token.create'],
  run: async (context) => {
    const { settings, session, output, serviceClock } = context;
    const shadow = shadowOf(settings);
    if (shadow !== undefined) throw usage(`cannot renew the token: ${shadow} is in use and has no refresh token`);
    const { login } = await recordOf(context);
    if (!login) throw notLoggedIn();
    if ((await session.renew(login.accessToken, login)) === undefined) {
      throw new CliFailure('TOKEN_EXPIRED', 'cannot renew the login', { hint: 'actorctl login' });
    }
    const left = secondsLeft((await session.identity())?.expiresAt ?? null, await serviceClock.ask());
    const word = left === null ? '' : `; expires in ${formatDuration(left * 1_000)}`;
    output.result(`Refreshed${word}`, {
      token_type: 'bearer',
      expires_in: left,
      scope: login.scope ?? null,
      user: login.username,
    });
    return 0;
  },
});

export const revoke = command({
  name: 'revoke',
  summary: 'Revoke the tokens of a login, or a token on stdin',
  details: 'Without --login, it is the login of this context, which is then removed here.',
  operations: ['token.revoke', 'logins.list', 'logins.end', 'logins.listOfUser', 'logins.endOfUser'],
  args: { source: optional('- reads a token from stdin', { like: ['-'] }) },
  options: {
    all: flag('--all', 'revoke the logins of all users of this context'),
    client: clientOption,
    login: text('--login <id>', 'end this login of the list of `auth logins`', 'service login'),
    ...ofUser,
    dryRun,
  },
  examples: ['actorctl auth revoke --login XpK3v0aQ9mZt1', 'actorctl auth revoke --login XpK3v0aQ9mZt1 --user ana'],
  run: async (context, { source }, { all, client, login: id, user, tenant, dryRun }) => {
    const { session, prompt, output } = context;
    if (id !== undefined) {
      if (source !== undefined || all || client !== undefined)
        throw usage('--login cannot be used with -, --all or --client');
      return endLogin(context, id, { user, tenant }, dryRun);
    }
    if (user !== undefined || tenant !== undefined)
      throw usage('--user and --tenant need --login', 'actorctl auth logins');
    if (source !== undefined) {
      if (all) throw usage('--all and - cannot be used together');
      const value = await fromStdin(context, source);
      const asker = await clientNamed(context, client);
      if (dryRun) return tellDryRun(context, ['revoke the token, if it belongs to that client'], { revoked: 1 });
      await revokeToken(context, asker, value);
      // The response of the service does not show whether the token existed. @see RFC 7009 2.2
      output.result('Revoked the token, if it belonged to that client', { revoked: 1 });
      return 0;
    }
    if (client !== undefined) {
      throw usage('--client is for a token on stdin', 'pipe the token in and give - as the argument');
    }
    const record = await recordOf(context);
    const { login, others = [] } = record;
    if (!login) throw notLoggedIn();
    const gone = all ? [login, ...others] : [login];
    if (dryRun) {
      const users = gone.map(({ username }) => username);
      const lines = users.map((username) => `revoke the tokens of ${username ?? 'the login'} and log out`);
      return tellDryRun(context, lines, { users });
    }
    await prompt.confirm(`Revoke the tokens of ${gone.map(({ username }) => username).join(', ')} and log out?`);
    const ended: Login[] = [];
    let count = 0;
    try {
      for (const each of gone) {
        count += await revokeLogin(context, each, record);
        ended.push(each);
      }
    } catch (error) {
      if (ended.length === 0) throw error;
      const users = userNames(ended);
      throw stoppedAfter(error, `revoked the tokens of ${users.join(', ')} and logged out`, { users });
    } finally {
      if (ended.length > 0) await session.change((before) => withoutLogins(before, ended));
    }
    output.result(`Revoked ${count} ${count === 1 ? 'token' : 'tokens'}`, { revoked: count });
    return 0;
  },
});

export const inspect = command({
  name: 'inspect',
  summary: 'Show what the service knows about a token',
  operations: ['token.introspect'],
  args: { source: optional('- reads a token from stdin', { like: ['-'] }) },
  options: { client: clientOption },
  run: async (context, { source }, { client }) => {
    const { session, settings, output } = context;
    const record = await recordOf(context);
    const maker = record.login && shadowOf(settings) === undefined ? clientOfLogin(record.login, record) : undefined;
    const value = source === undefined ? await session.tokenToHandOut() : await fromStdin(context, source);
    const asker = client === undefined && source === undefined && maker ? maker : await clientNamed(context, client);
    if (asker.secret === undefined) {
      throw usage(
        `cannot inspect the token: client ${asker.id} is public, and the service requires a client with a secret`,
        source === undefined ? 'actorctl auth status' : 'actorctl auth inspect - --client ID',
      );
    }
    const found = await introspect(context, asker, value);
    const expiry = found.exp === undefined ? '' : `expires ${new Date(found.exp * 1_000).toISOString()}`;
    const words = ['active', found.username, found.scope, found.client_id && `client ${found.client_id}`, expiry];
    output.report(
      found.active
        ? words.filter(Boolean).join('  ')
        : 'not active: expired, revoked, unknown, or issued to another client',
      found,
    );
    return found.active ? 0 : 4;
  },
});
