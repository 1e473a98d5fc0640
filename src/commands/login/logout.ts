// `logout`: ends the tokens at the service and forgets the login, wherever it is kept.
import { shadowOf } from '../../client/identity.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import type { AccountRecord, Login } from '../../local/credentials/account-record.ts';
import { command } from '../kernel/command.ts';
import { flag, text } from '../kernel/option.ts';
import { revokeLogin } from './own-tokens.ts';

/** What is kept, and who of it is to go. A login that cannot be read any more is forgotten unread. */
const recordOf = async ({ credentials, settings }: CommandContext): Promise<AccountRecord> => {
  try {
    return (await credentials.read(settings.account))?.record ?? {};
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'AUTH_REQUIRED') throw error;
    await credentials.remove(settings.account);
    return {};
  }
};

const leaving = (
  { login, others = [] }: AccountRecord,
  { all, user }: { readonly all: boolean; readonly user: string | undefined },
): readonly Login[] => {
  const everyone = [...(login ? [login] : []), ...others];
  if (all) return everyone;
  if (user === undefined) return login ? [login] : [];
  const named = everyone.filter(({ username }) => username === user);
  if (named.length > 0) return named;
  throw new CliFailure('NOT_FOUND', `${user} is not logged in here`, { hint: 'actorctl auth list' });
};

/** Ends them at the service; what cannot be ended there is forgotten here all the same. Whether all were ended. */
const revokeAll = async (
  context: CommandContext,
  logins: readonly Login[],
  record: AccountRecord,
): Promise<boolean> => {
  let ended = logins.length > 0;
  for (const login of logins) {
    try {
      await revokeLogin(context, login, record);
    } catch (error) {
      if (!(error instanceof CliFailure) || error.code === 'CANCELLED') throw error;
      ended = false;
      context.output.warn(
        `the tokens of ${login.username ?? 'the login'} were not revoked at the service: ${error.message}`,
      );
    }
  }
  return ended;
};

/** Takes them out, and puts the next user in the place of the one who left. */
const without =
  (gone: readonly Login[]) =>
  ({ login, others = [], ...kept }: AccountRecord): AccountRecord => {
    const tokens = new Set(gone.map(({ username, flow }) => `${username} ${flow}`));
    const stays = (each: Login): boolean => !tokens.has(`${each.username} ${each.flow}`);
    const [next, ...rest] = [...(login ? [login] : []), ...others].filter(stays);
    return { ...kept, ...(next && { login: next }), ...(rest.length > 0 && { others: rest }) };
  };

const namesOf = (logins: readonly Login[]): string => logins.map(({ username }) => username ?? 'you').join(', ');

/** `logout` */
export const logoutCommand = command({
  name: 'logout',
  summary: 'Ends the login, at the service and here.',
  operations: ['token.revoke'],
  options: {
    all: flag('--all', 'every user who is logged in to this context'),
    user: text('--user <name>', 'that user, whoever is the current one'),
    localOnly: flag('--local-only', 'forget the tokens here and leave them alive at the service'),
  },
  run: async (context, _args, given) => {
    const { settings, session, credentials, output } = context;
    const record = await recordOf(context);
    const gone = leaving(record, given);
    const revoked = given.localOnly ? false : await revokeAll(context, gone, record);
    let next: Login | undefined;
    if (gone.length > 0) {
      await session.change((before) => {
        const after = without(gone)(before);
        next = after.login;
        return after;
      });
      // This program's own client stays: it is no login, and asking for a new one would spend the secret of another process.
      if (!record.client && !next) await credentials.remove(settings.account);
    }
    const shadow = shadowOf(settings);
    const how = revoked ? 'tokens revoked' : 'the tokens were forgotten here and run out by themselves';
    const now = next ? `; now ${next.username ?? 'somebody else'}` : '';
    output.result(gone.length > 0 ? `Logged out ${namesOf(gone)} (${how})${now}` : 'You were not logged in', {
      logged_out: gone.map(({ username }) => username),
      revoked,
      user: next?.username ?? null,
      env_shadow: shadow === undefined ? [] : [shadow],
    });
    if (shadow !== undefined) output.warn(`${shadow} is still set and goes on being used; unset it to finish`);
    return 0;
  },
});
