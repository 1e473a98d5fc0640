// The logged-in user, and the valid tokens that were issued to the caller's clients.
import { Fragment } from 'preact';
import { useMemo } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { logOut } from '../../login/token.ts';
import { mapConcurrently } from '../../parts/actions/map-concurrently.ts';
import { commandLine } from '../../parts/command.ts';
import { Problem } from '../../parts/problem.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Command, TerminalLine } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { me } from '../../shell/me.ts';
import { hashOf } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { isWantedClient } from './rows.ts';

const EVERY_MS = 10_000;

const read = async (signal: AbortSignal) => {
  const clients = await ask('GET /clients/v2', { signal });
  return mapConcurrently(clients, ({ name }) =>
    ask('GET /clients/v2/:clientName', { params: { clientName: name }, signal }),
  );
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

export const Logins = ({ q }: { readonly q: string }) => {
  const { value, problem } = usePolled('logins', read, { every: EVERY_MS });
  const all = value.value;
  const rows = useMemo(() => (all ?? []).filter((client) => isWantedClient(client, q)), [all, q]);
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField placeholder="Client" value={q} onSearch={(text) => filter({ q: text })} />
      </form>
      <Problem text={problem.value} />
      <div class="columns">
        <section class="panel" aria-labelledby="tokens-title">
          <header>
            <h2 id="tokens-title">Valid tokens of your clients</h2>
          </header>
          {all === undefined ? null : rows.length === 0 ? (
            <div class="empty">
              <p>{all.length === 0 ? 'You have no client yet. This registers one:' : 'No client matches.'}</p>
              {all.length === 0 ? <TerminalLine line="actorctl clients create web-app" /> : null}
            </div>
          ) : (
            <table>
              <thead>
                <tr>
                  <th scope="col">Client</th>
                  <th scope="col" class="num">
                    Access
                  </th>
                  <th scope="col" class="num">
                    Refresh
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ name, tokens: { access, refresh } }) => (
                  <tr key={name}>
                    <td>
                      <a data-row class="link" href={hashOf(['access', 'clients', name])}>
                        {safe(name)}
                      </a>
                    </td>
                    <td class="num">{access}</td>
                    <td class="num">{refresh}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          <div class="body">
            <p class="soft">A new secret or the deletion of a client ends its tokens.</p>
            <Command line={commandLine('clients', 'show', 'NAME')} />
          </div>
        </section>
        <Here />
      </div>
    </>
  );
};
