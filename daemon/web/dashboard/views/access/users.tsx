// The users of the tenant, and a form that creates one. For admins.
import { useMemo } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { InlineForm } from '../../parts/actions/inline-form.tsx';
import { Ago } from '../../parts/ago.tsx';
import { commandLine, nameWords } from '../../parts/command.ts';
import { Problem } from '../../parts/problem.tsx';
import { FoundRows } from '../../parts/search/found-rows.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { isWantedUser, roles, type UserRow, userRow } from './rows.ts';

const EVERY_MS = 15_000;

const heads = ['User', 'Name', 'Roles', 'E-mail', 'Age'] as const;

const cells = (user: UserRow | undefined) => {
  if (user === undefined) return [];
  const { username, full_name, email, createTime } = user;
  return [
    <a data-row href={hashOf(['access', 'users', username])}>
      {safe(username)}
    </a>,
    <span class="soft">{safe(full_name)}</span>,
    user.roles.join(', '),
    <span class="soft">{safe(email)}</span>,
    <Ago time={createTime} />,
  ];
};

const NewUser = ({ onCreated }: { readonly onCreated: () => void }) => (
  <InlineForm
    title="New user"
    word="Create"
    fields={[
      { name: 'username', label: 'User name', required: true },
      { name: 'password', label: 'Password, at least 8 characters', required: true, isPassword: true },
      { name: 'roles', label: 'Roles', anyOf: roles },
      { name: 'email', label: 'E-mail address (may be empty)' },
    ]}
    initial={{ roles: 'user' }}
    line={({ username = '', roles: chosen = '', email = '' }) =>
      commandLine(
        'users',
        'create',
        ...(username === '' ? ['NAME'] : nameWords(username)),
        ...['--role', chosen, '--password-stdin'],
        ...(email === '' ? [] : ['--email', email]),
      )
    }
    onSubmit={async ({ username = '', password = '', roles: chosen = '', email = '' }) => {
      await ask('POST /users/v2', { json: { username, password, roles: chosen, ...(email !== '' && { email }) } });
      onCreated();
      return `The user ${safe(username)} is created.`;
    }}
  />
);

export const Users = ({ q }: { readonly q: string }) => {
  const { value, problem, again } = usePolled(
    'users',
    async (signal) => (await ask('GET /users/v2', { signal })).map(userRow),
    { every: EVERY_MS },
  );
  const all = value.value;
  const rows = useMemo(() => (all ?? []).filter((user) => isWantedUser(user, q)), [all, q]);
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField placeholder="Name, role, e-mail" value={q} onSearch={(text) => filter({ q: text })} />
      </form>
      {all === undefined ? null : <NewUser onCreated={again} />}
      <Problem text={problem.value} />
      <FoundRows
        label="Users"
        heads={heads}
        columns="user-rows"
        cells={cells}
        listing={q}
        of={all?.length}
        rows={rows}
        none="There is no user. This creates one:"
        command="actorctl users create NAME --generate"
        noMatch="No user matches."
      />
    </>
  );
};
