// `auth logins`, and the end of a login of that list: what the service knows, on every machine of the user.
import { shadowOf } from '../../client/identity.ts';
import type { CommandContext } from '../../context.ts';
import { fields, LOGINS_LIMIT } from '../../contract/for-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { CliFailure } from '../../failure.ts';
import { withoutLogins } from '../../local/credentials/account-record.ts';
import { formatAgo } from '../../ui/format/time.ts';
import type { View } from '../../ui/format/view.ts';
import { plural } from '../../ui/text.ts';
import { command } from '../framework/command.ts';
import { tellDryRun } from '../framework/dry-run.ts';
import { ifFound } from '../framework/if-found.ts';
import { text } from '../framework/option.ts';

type ServiceLogin = ResultOf<Operations['logins.list']>[number];

/** Whose logins: those of the caller, or of another user, for admins. */
interface Whose {
  readonly user?: string | undefined;
  readonly tenant?: string | undefined;
}

const howOf = ({ flow }: ServiceLogin): string => flow?.replaceAll('_', ' ') ?? 'browser session';

const view: View<ServiceLogin> = {
  id: ({ id }) => id,
  fields: fields.login,
  columns: [
    { header: 'LOGIN', value: ({ id }) => id, role: 'id' },
    { header: 'CURRENT', value: ({ current }) => (current ? '*' : '') },
    { header: 'CLIENT', value: ({ clientName }) => clientName },
    { header: 'HOW', value: howOf },
    { header: 'BEGAN', value: ({ createTime }) => createTime, kind: 'time' },
    { header: 'LAST SEEN', value: ({ lastUseTime, lastRenewTime }) => lastUseTime ?? lastRenewTime, kind: 'time' },
    { header: 'ENDS', value: ({ expireTime }) => expireTime, kind: 'time' },
    { header: 'BROWSER', value: ({ browser }) => browser, wide: true },
    { header: 'SCOPE', value: ({ scope }) => scope, wide: true },
  ],
};

export const ofUser = {
  user: text('--user <name>', 'logins of another user (admins only)', 'user'),
  tenant: text('--tenant <id>', 'tenant of that user (admins of the first tenant only)', 'tenant'),
};

const userOf = ({ user, tenant }: Whose & { readonly user: string }) => ({
  params: { username: user },
  query: { ...(tenant !== undefined && { tenant }) },
});

const listed = ({ call }: Pick<CommandContext, 'call'>, { user, tenant }: Whose): Promise<readonly ServiceLogin[]> => {
  const query = { limit: LOGINS_LIMIT };
  if (user === undefined) return call('logins.list', { query });
  const asked = userOf({ user, tenant });
  return call('logins.listOfUser', { ...asked, query: { ...asked.query, ...query } });
};

export const logins = command({
  name: 'logins',
  summary: 'List your logins at the service, on all machines',
  details:
    'A login is a grant with its tokens, or the session of a browser. To end one: actorctl auth revoke --login ID',
  operations: ['logins.list', 'logins.listOfUser'],
  options: ofUser,
  list: true,
  examples: ['actorctl auth logins --user ana'],
  run: async (context, _args, whose) => {
    context.output.rows(await listed(context, whose), view);
    return 0;
  },
});

const unknown = (id: string, { user }: Whose): CliFailure =>
  new CliFailure('NOT_FOUND', `there is no login "${id}"${user === undefined ? '' : ` of ${user}`}`, {
    hint: user === undefined ? 'actorctl auth logins' : `actorctl auth logins --user ${user}`,
  });

const describe = (login: ServiceLogin, now: number): string => {
  const { clientName, createTime } = login;
  return `${clientName === undefined ? howOf(login) : `${clientName} (${howOf(login)})`}, begun ${formatAgo(Date.parse(createTime), now)}`;
};

/** Ends a login of the list. If it is the login of this command, the stored login is removed too. */
export const endLogin = async (
  context: CommandContext,
  id: string,
  whose: Whose,
  isDryRun: boolean,
): Promise<number> => {
  const { call, prompt, output, session, settings, credentials, serviceClock } = context;
  const { user, tenant } = whose;
  const login = (await listed(context, whose)).find((each) => each.id === id);
  if (login === undefined) throw unknown(id, whose);
  const what = describe(login, serviceClock.now());
  if (isDryRun) return tellDryRun(context, [`end the login of ${what}`], { ended: id });
  await prompt.confirm(`End the login of ${what}?`);
  const params = { loginId: id };
  const asked = user === undefined ? undefined : userOf({ user, tenant });
  const ended = await ifFound(
    asked === undefined
      ? call('logins.end', { params })
      : call('logins.endOfUser', { params: { ...asked.params, ...params }, query: asked.query }),
  );
  // It ended between the two requests.
  if (ended === undefined) throw unknown(id, whose);
  if (login.current && shadowOf(settings) === undefined) {
    const { login: own } = (await credentials.read(settings.account))?.record ?? {};
    if (own) await session.change((before) => withoutLogins(before, [own]));
  }
  const more = [plural(ended.revoked, 'token'), ...(ended.browser ? ['the session of its browser'] : [])];
  output.result(`Ended the login of ${what}: ${more.join(' and ')}`, ended, id);
  return 0;
};
