// `logout`: revokes the tokens at the service and deletes the stored login.
import { shadowOf } from '../../client/identity.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import { type AccountRecord, type Login, loginsOf, withoutLogins } from '../../local/credentials/account-record.ts';
import type { Found } from '../../local/credentials/credentials.ts';
import { userNames, usersNamed } from '../../local/credentials/login-names.ts';
import { action } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { flag, text } from '../framework/option.ts';
import { revokeLogin } from './own-tokens.ts';

/** Reads the stored logins. @throws CliFailure AUTH_REQUIRED if the keychain does not respond: they stay stored */
const storedLogins = async ({ credentials, settings }: CommandContext): Promise<Found | undefined> => {
  try {
    return await credentials.read(settings.account);
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'AUTH_REQUIRED') throw error;
    throw new CliFailure('AUTH_REQUIRED', `you are not logged out: ${error.message}`, {
      hint: 'unlock the keychain and run this command again. To leave its entry there: actorctl login --store file',
      cause: error,
    });
  }
};

const leaving = (
  record: AccountRecord,
  { all, user }: { readonly all: boolean; readonly user: string | undefined },
): readonly Login[] => {
  const everyone = loginsOf(record);
  if (all) return everyone;
  if (user === undefined) return record.login ? [record.login] : [];
  const named = usersNamed(everyone, user);
  if (named.length > 0) return named;
  throw new CliFailure('NOT_FOUND', `"${user}" is not logged in to this context`, { hint: 'actorctl auth list' });
};

/**
 * Revokes tokens and returns the logins whose tokens stay valid. A failure other than CANCELLED is only a warning,
 * because the login is deleted anyway.
 */
const revokeAll = async (
  context: CommandContext,
  logins: readonly Login[],
  record: AccountRecord,
): Promise<readonly Login[]> => {
  const left: Login[] = [];
  for (const login of logins) {
    try {
      await revokeLogin(context, login, record);
    } catch (error) {
      if (!(error instanceof CliFailure) || error.code === 'CANCELLED') throw error;
      left.push(login);
      context.output.warn(
        `cannot revoke the tokens of ${login.username ?? 'the login'} at the service: ${error.message}`,
      );
    }
  }
  return left;
};

/** Describes the state of the tokens, given the logins whose tokens stay valid. */
const formatEnd = (left: readonly Login[]): string => {
  if (left.length === 0) return 'tokens revoked';
  const end = left.some(({ refreshToken }) => refreshToken !== undefined)
    ? 'the access token until it expires, the refresh token until its user gets a new password'
    : 'until they expire';
  return `the stored tokens were deleted but stay valid ${end}`;
};

export const logoutCommand = action({
  operations: ['token.revoke'],
  options: {
    all: flag('--all', 'log out all users of this context and delete its stored client'),
    user: text('--user <name>', 'log out this user (NAME or TENANT/NAME), even if another user is current', 'login'),
    localOnly: flag('--local-only', 'delete the stored tokens without revoking them at the service'),
    dryRun,
  },
  run: async (context, _args, given) => {
    const { settings, session, credentials, output } = context;
    if (given.all && given.user !== undefined) throw usage('--all and --user cannot be used together');
    const found = await storedLogins(context);
    const record = found?.record ?? {};
    const gone = leaving(record, given);
    if (given.dryRun) {
      const then = given.localOnly ? 'delete the stored tokens' : 'revoke the tokens';
      const lines = userNames(gone).map((name) => `log out ${name} and ${then}`);
      if (given.all && record.client) lines.push('delete the stored client');
      return tellDryRun(context, lines, {
        logged_out: gone.map(({ username }) => username),
        revoked: !given.localOnly,
      });
    }
    const left = given.localOnly ? gone : await revokeAll(context, gone, record);
    const revoked = gone.length > 0 && left.length === 0;
    let next: Login | undefined;
    try {
      if (gone.length > 0) {
        // The logins are changed only in the store that contains them: a copy in the file would hide the entry in the
        // keychain.
        await session.change((before) => {
          const after = withoutLogins(before, gone);
          next = after.login;
          return after;
        }, found?.store);
      }
      // With --all the client of actorctl is deleted too, and the next login gets a new client secret. Otherwise the
      // client stays: it is not a login, and a new secret would end the logins of another process.
      if (!next && (given.all || (gone.length > 0 && !record.client))) await credentials.remove(settings.account);
    } catch (error) {
      if (!revoked || !(error instanceof CliFailure)) throw error;
      throw new CliFailure(error.code, `the tokens are revoked, but still stored: ${error.message}`, {
        ...error.extras,
        cause: error,
      });
    }
    const shadow = shadowOf(settings);
    const names = userNames(next ? [...gone, next] : gone);
    const out = names.slice(0, gone.length).join(', ');
    const now = next ? `; now logged in as ${names.at(-1)}` : '';
    output.result(gone.length > 0 ? `Logged out ${out} (${formatEnd(left)})${now}` : 'You were not logged in', {
      logged_out: gone.map(({ username }) => username),
      revoked,
      user: next?.username ?? null,
      env_shadow: shadow === undefined ? [] : [shadow],
    });
    if (shadow !== undefined)
      output.warn(`${shadow} is still set, and later commands use it. Unset it to log out completely`);
    return 0;
  },
});
