// `auth list` and `auth switch`: the users that are logged in to a context.
import { shadowOf } from '../../client/identity.ts';
import { CliFailure, usage } from '../../failure.ts';
import { type AccountRecord, type Login, loginsOf } from '../../local/credentials/account-record.ts';
import { userNames, usersNamed } from '../../local/credentials/login-names.ts';
import type { View } from '../../ui/format/view.ts';
import { command } from '../framework/command.ts';
import { optional } from '../framework/option.ts';
import { timeOf } from './auth-accounts.ts';

interface Account {
  readonly user: string | null;
  readonly tenant: string | null;
  readonly active: boolean;
  readonly flow: Login['flow'];
  readonly expires_at: string | null;
}

const accountView: View<Account> = {
  id: ({ user }) => user ?? '-',
  fields: ['user', 'tenant', 'active', 'flow', 'expires_at'],
  columns: [
    { header: 'ACTIVE', value: ({ active }) => (active ? '*' : '') },
    { header: 'USER', value: ({ user }) => user, role: 'name' },
    { header: 'TENANT', value: ({ tenant }) => tenant },
    { header: 'FLOW', value: ({ flow }) => flow },
    { header: 'EXPIRES', value: ({ expires_at }) => expires_at, kind: 'time' },
  ],
};

export const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the users that are logged in to this context',
  list: true,
  run: async ({ credentials, settings, output }) => {
    const record = (await credentials.read(settings.account))?.record ?? {};
    const rows = loginsOf(record).map((each) => ({
      user: each.username,
      tenant: each.tenant,
      active: each === record.login,
      flow: each.flow,
      expires_at: timeOf(each.expiresAt),
    }));
    output.rows(rows, accountView);
    return 0;
  },
});

const nextOf = (record: AccountRecord, user: string | undefined): Login => {
  const { others = [] } = record;
  const aside = user === undefined ? others : usersNamed(others, user);
  // A name refers to the current user only if no other user has it.
  const found = user !== undefined && aside.length === 0 ? usersNamed(loginsOf(record), user) : aside;
  const [next] = found;
  if (next && found.length === 1) return next;
  const choices = `choose one of: ${userNames(found).join(', ') || 'no other user is logged in'}`;
  if (user === undefined) throw usage('the user name is missing', choices);
  if (next) throw usage(`several users are named "${user}"`, choices);
  throw new CliFailure('NOT_FOUND', `"${user}" is not logged in to this context`, { hint: 'actorctl auth list' });
};

export const switchUser = command({
  name: 'switch',
  summary: 'Switch to another logged-in user of this context',
  args: { user: optional('NAME or TENANT/NAME (optional if only one other user is logged in)', 'login') },
  run: async ({ session, settings, output }, { user }) => {
    let now: string | null = null;
    let name = '';
    await session.change((before) => {
      const { others: _before, ...kept } = before;
      const everyone = loginsOf(before);
      const next = nextOf(before, user);
      now = next.username;
      name = userNames(everyone)[everyone.indexOf(next)] ?? '';
      return { ...kept, login: next, others: everyone.filter((each) => each !== next) };
    });
    output.result(`Switched to ${name}`, { user: now }, now ?? undefined);
    const shadow = shadowOf(settings);
    if (shadow !== undefined) output.warn(`${shadow} is set and takes precedence over a login`);
    return 0;
  },
});
