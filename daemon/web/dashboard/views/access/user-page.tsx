// One user, for admins: names and roles, a new password, the logins, and the deletion.
import { useSignal } from '@preact/signals';
import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { showEnded } from '../../login/token.ts';
import { Confirm } from '../../parts/actions/confirm.tsx';
import { InlineForm } from '../../parts/actions/inline-form.tsx';
import { announce } from '../../parts/announce.tsx';
import { commandLine, nameWords } from '../../parts/command.ts';
import { Problem } from '../../parts/problem.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { formatMoment } from '../../parts/time.ts';
import { me } from '../../shell/me.ts';
import { hashOf } from '../../shell/place.ts';
import { go } from '../../shell/router.ts';
import { LoginList } from './logins.tsx';
import { roles, type User, userRow } from './rows.ts';

const EVERY_MS = 10_000;

/** The fields of a user that a form changes, with their flags of `users update`. */
const changeable = [
  ['first_name', '--first-name'],
  ['last_name', '--last-name'],
  ['email', '--email'],
  ['roles', '--role'],
] as const;

const valuesOf = (user: User) => ({ ...user, roles: user.roles.join(',') });

type Values = Readonly<Record<string, string>>;

const changesOf = (user: User, values: Values) =>
  changeable.filter(([name]) => (values[name] ?? '') !== valuesOf(user)[name]);

interface OfUser {
  readonly user: User;
  readonly onChanged: () => void;
}

const Forms = ({ user, onChanged }: OfUser) => {
  const { username } = user;
  const { first_name, last_name, email, roles: held } = valuesOf(user);
  const params = { username };
  return (
    <>
      <InlineForm
        title="Change the user"
        fields={[
          { name: 'first_name', label: 'First name' },
          { name: 'last_name', label: 'Last name' },
          { name: 'email', label: 'E-mail address' },
          { name: 'roles', label: 'Roles', anyOf: roles },
        ]}
        initial={{ first_name, last_name, email, roles: held }}
        line={(values) =>
          commandLine(
            ...['users', 'update', ...nameWords(username)],
            ...changesOf(user, values).flatMap(([name, flag]) => [flag, values[name] ?? '']),
          )
        }
        onSubmit={async (values) => {
          const json = Object.fromEntries(changesOf(user, values).map(([name]) => [name, values[name] ?? '']));
          await ask('PUT /users/v2/:username', { params, json });
          onChanged();
          return 'The user is changed.';
        }}
      />
      <InlineForm
        title="New password"
        word="Set"
        fields={[
          {
            name: 'password',
            label: 'Password, at least 8 characters. All logins of the user end.',
            required: true,
            isPassword: true,
          },
        ]}
        line={() => commandLine('users', 'passwd', ...nameWords(username), '--password-stdin')}
        onSubmit={async ({ password = '' }) => {
          const { revoked = 0 } = await ask('PUT /users/v2/:username', { params, json: { password } });
          if (username === me.value?.username) showEnded();
          else onChanged();
          return `The password is set. ${revoked} ${revoked === 1 ? 'token is' : 'tokens are'} revoked.`;
        }}
      />
    </>
  );
};

const Deletion = ({ user: { username }, onChanged }: OfUser) => {
  const asking = useSignal(false);
  const heir = useSignal('');
  const remove = async (): Promise<void> => {
    try {
      const query = heir.value === '' ? {} : { reassignTo: heir.value };
      await ask('DELETE /users/v2/:username', { params: { username }, query });
      announce(`The user ${safe(username)} is deleted.`);
      if (username === me.value?.username) showEnded();
      else go(['access', 'users']);
    } catch (error) {
      announce(formatFailure(error), true);
      onChanged();
    }
  };
  return (
    <div class="actions">
      <button
        type="button"
        class="danger"
        onClick={() => {
          asking.value = true;
        }}
      >
        Delete
      </button>
      {asking.value ? (
        <Confirm
          title={`Delete the user "${safe(username)}"?`}
          word="Delete"
          line={commandLine(
            ...['users', 'delete', ...(heir.value === '' ? [] : ['--reassign-to', heir.value])],
            ...nameWords(username),
          )}
          onYes={() => void remove()}
          onClose={() => {
            asking.value = false;
          }}
        >
          <p>All clients, tokens and nonces of the user are deleted too.</p>
          <div class="field">
            <label for="user-heir">New owner of the actors, aliases and configs (needed if there are any)</label>
            <input
              id="user-heir"
              spellcheck={false}
              autocomplete="off"
              value={heir.value}
              onInput={(event) => {
                heir.value = event.currentTarget.value;
              }}
            />
          </div>
        </Confirm>
      ) : null}
    </div>
  );
};

export const UserPage = ({ name, q }: { readonly name: string; readonly q: string }) => {
  const { value, problem, again } = usePolled(
    `user ${name}`,
    (signal) => ask('GET /users/v2/:username', { params: { username: name }, signal }),
    { every: EVERY_MS },
  );
  const user = value.value;
  return (
    <>
      <div class="head">
        <h1>
          <a class="crumb" href={hashOf(['access', 'users'])}>
            Users /
          </a>{' '}
          {safe(name)}
        </h1>
        <Command line={commandLine('users', 'show', ...nameWords(name))} />
      </div>
      <Problem text={problem.value} />
      {user === undefined ? null : (
        <>
          <section class="panel" aria-labelledby="user-title">
            <header>
              <h2 id="user-title">User</h2>
            </header>
            <div class="body">
              <dl class="facts">
                <dt>name</dt>
                <dd>{safe(user.full_name) || '–'}</dd>
                <dt>e-mail</dt>
                <dd>{safe(user.email) || '–'}</dd>
                <dt>roles</dt>
                <dd>{user.roles.join(', ')}</dd>
                <dt>created</dt>
                <dd>{formatMoment(Date.parse(userRow(user).createTime))}</dd>
              </dl>
              <Forms user={user} onChanged={again} />
              <Deletion user={user} onChanged={again} />
            </div>
          </section>
          <h2>Logins</h2>
          <LoginList q={q} user={name} />
        </>
      )}
    </>
  );
};
