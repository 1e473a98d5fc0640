// The OAuth clients of the caller, and a form that registers one.
import { useMemo } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { Ago } from '../../parts/ago.tsx';
import { Problem } from '../../parts/problem.tsx';
import { FoundRows } from '../../parts/search/found-rows.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { NewClient } from './new-client.tsx';
import { type ClientRow, clientRow, isWantedClient, redirectUris } from './rows.ts';

const EVERY_MS = 15_000;

const heads = ['Client', 'Kind', 'Description', 'Redirect URIs', 'Grants', 'Age'] as const;

const cells = (client: ClientRow | undefined) => {
  if (client === undefined) return [];
  const { name, description, grants, createTime } = client;
  return [
    <a data-row href={hashOf(['access', 'clients', name])}>
      {safe(name)}
    </a>,
    client.public ? 'public' : 'secret',
    <span class="soft">{safe(description)}</span>,
    <span class="mono">{redirectUris(client).map(safe).join(', ') || '–'}</span>,
    <span class="soft">{grants.join(', ')}</span>,
    <Ago time={createTime} />,
  ];
};

export const Clients = ({ q, isNew }: { readonly q: string; readonly isNew: boolean }) => {
  const { value, problem, again } = usePolled('clients', (signal) => ask('GET /clients/v2', { signal }), {
    every: EVERY_MS,
  });
  const all = value.value;
  const rows = useMemo(
    () =>
      (all ?? [])
        .filter((client) => isWantedClient(client, q))
        .map(clientRow)
        .toReversed(),
    [all, q],
  );
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField placeholder="Name, id, redirect URI" value={q} onSearch={(text) => filter({ q: text })} />
        <button type="button" aria-expanded={isNew} onClick={() => filter({ form: isNew ? undefined : 'new' })}>
          New client
        </button>
      </form>
      {isNew ? <NewClient onCreated={again} /> : null}
      <Problem text={problem.value} />
      <FoundRows
        label="Clients"
        heads={heads}
        columns="client-rows"
        cells={cells}
        listing={q}
        of={all?.length}
        rows={rows}
        none="You have no client yet. Register one with New client, or with this command:"
        command="actorctl clients create web-app"
        noMatch="No client matches."
      />
    </>
  );
};
