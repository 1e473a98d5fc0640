// The logins of the user on all machines, each with a button that ends it, and the login of this page.
import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useMemo } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { ApiFailure, formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { logOut, showEnded } from '../../login/token.ts';
import { Confirm } from '../../parts/actions/confirm.tsx';
import { Ago } from '../../parts/ago.tsx';
import { announce } from '../../parts/announce.tsx';
import { commandLine } from '../../parts/command.ts';
import { Problem } from '../../parts/problem.tsx';
import { FoundRows } from '../../parts/search/found-rows.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { formatMoment } from '../../parts/time.ts';
import { me } from '../../shell/me.ts';
import { hashOf } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { consequenceOf, howOf, isWantedLogin, type Login, loginName } from './rows.ts';

const EVERY_MS = 10_000;
/** Logins in a response of the service. */
const MOST = 200;

interface LoginRow extends Login {
  /** The name of the client, if it is a client of the user. */
  readonly ownClient: string | undefined;
}

/** The client id of this page, which belongs to the dashboard of its tenant. */
const isPage = ({ clientId }: Login): boolean => clientId === document.body.dataset['client'];

/** @param user another user, whose clients are not known */
const read = async (user: string | undefined, signal: AbortSignal): Promise<readonly LoginRow[]> => {
  if (user !== undefined) {
    const logins = await ask('GET /users/v2/:username/logins', { params: { username: user }, signal });
    return logins.map((login) => ({ ...login, ownClient: undefined }));
  }
  const [logins, clients] = await Promise.all([ask('GET /logins', { signal }), ask('GET /clients/v2', { signal })]);
  const names = new Map(clients.map(({ consumerKey, name }) => [consumerKey, name]));
  return logins.map((login) => ({ ...login, ownClient: names.get(login.clientId ?? '') }));
};

const Here = () => {
  const { username = '', full_name = '', email = '' } = me.value ?? {};
  const facts = [
    ['user', username],
    ['name', full_name],
    ['email', email],
    ['client', document.body.dataset['client'] ?? ''],
  ] as const;
  return (
    <section class="panel" aria-labelledby="here-title">
      <header>
        <h2 id="here-title">This page</h2>
      </header>
      <div class="body">
        <dl class="facts">
          {facts
            .filter(([, text]) => text !== '')
            .map(([name, text]) => (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd>{safe(text)}</dd>
              </Fragment>
            ))}
        </dl>
        <p class="soft">
          Its token is in memory only. It is renewed before it expires, and revoked when the page is closed.
        </p>
        <div class="actions">
          <button type="button" onClick={logOut}>
            Log out of this browser
          </button>
          <Command line={commandLine('whoami', '--check')} />
        </div>
      </div>
    </section>
  );
};

const heads = ['Client', 'How', 'Began', 'Last seen', 'Ends', 'Action'] as const;

const cellsOf = (onEnd: (row: LoginRow) => void) => (row: LoginRow | undefined) => {
  if (row === undefined) return [];
  const { ownClient, createTime, lastUseTime = row.lastRenewTime, expireTime, current, kind } = row;
  const name = safe(loginName(row));
  return [
    <span>
      {current ? <strong>This {kind === 'browser' ? 'browser' : 'page'}</strong> : null}{' '}
      {ownClient === undefined ? (
        name
      ) : (
        <a data-row href={hashOf(['access', 'clients', ownClient])}>
          {name}
        </a>
      )}
    </span>,
    howOf(row),
    <Ago time={createTime} />,
    <Ago time={lastUseTime} />,
    expireTime === undefined ? (
      <span class="soft">does not expire</span>
    ) : (
      <time dateTime={expireTime}>{formatMoment(Date.parse(expireTime))}</time>
    ),
    <button
      type="button"
      class="danger"
      aria-label={`End the login ${safe(row.id)} of ${name}`}
      onClick={() => onEnd(row)}
    >
      End
    </button>,
  ];
};

/** Ends a login. One that has ended already is no failure. */
const end = async ({ id }: Login, user: string | undefined): Promise<void> => {
  try {
    if (user === undefined) await ask('DELETE /logins/:loginId', { params: { loginId: id } });
    else await ask('DELETE /users/v2/:username/logins/:loginId', { params: { username: user, loginId: id } });
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status !== 404) throw error;
  }
};

interface LoginListProps {
  readonly q: string;
  /** Another user, for admins. */
  readonly user?: string;
}

export const LoginList = ({ q, user }: LoginListProps) => {
  const { value, problem, again } = usePolled(`logins ${user ?? ''}`, (signal) => read(user, signal), {
    every: EVERY_MS,
  });
  const flags = user === undefined ? [] : ['--user', user];
  const asking = useSignal<LoginRow | undefined>(undefined);
  const all = value.value;
  const rows = useMemo(() => (all ?? []).filter((login) => isWantedLogin(login, q)), [all, q]);
  const cells = useMemo(
    () =>
      cellsOf((row) => {
        asking.value = row;
      }),
    [asking],
  );
  const endOne = async (row: LoginRow): Promise<void> => {
    try {
      await end(row, user);
      if (row.current) return showEnded();
      announce('The login has ended.');
    } catch (error) {
      announce(formatFailure(error), true);
    }
    again();
  };
  const asked = asking.value;
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField placeholder="Client, how, id" value={q} onSearch={(text) => filter({ q: text })} />
      </form>
      <Problem text={problem.value} />
      <FoundRows
        label="Logins"
        heads={heads}
        columns="login-rows"
        cells={cells}
        listing={q}
        of={all?.length}
        rows={rows}
        none={user === undefined ? 'You have no login.' : `${safe(user)} has no login.`}
        command={user === undefined ? commandLine('auth', 'logins') : undefined}
        noMatch="No login matches."
      />
      <p class="soft">
        {all?.length === MOST ? `These are the newest ${MOST} logins. ` : ''}A program is seen when its tokens are
        renewed. Uses of a token are not recorded.
      </p>
      {asked === undefined ? null : (
        <Confirm
          title={`End the login of ${safe(loginName(asked))}?`}
          word="End"
          line={commandLine('auth', 'revoke', '--login', asked.id, ...flags)}
          onYes={() => void endOne(asked)}
          onClose={() => {
            asking.value = undefined;
          }}
        >
          {consequenceOf(asked, isPage(asked))}
        </Confirm>
      )}
    </>
  );
};

export const Logins = ({ q }: { readonly q: string }) => (
  <>
    <LoginList q={q} />
    <Here />
  </>
);
