// The configs that the caller may read.
import { Fragment } from 'preact';
import { useMemo } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { ActorName } from '../../parts/actor-name.tsx';
import { Ago } from '../../parts/ago.tsx';
import { Problem } from '../../parts/problem.tsx';
import { FoundRows } from '../../parts/search/found-rows.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { NewConfig } from './config-forms.tsx';
import { type ConfigRow, configRow, isWantedConfig, sharedWith } from './rows.ts';

const EVERY_MS = 15_000;

const SHOWN = 200;

const heads = ['Config', 'Kind', 'Value', 'Shared with', 'Owner', 'Changed'] as const;

const cells = (row: ConfigRow | undefined) => {
  if (row === undefined) return [];
  const actors = sharedWith(row);
  return [
    <a data-row href={hashOf(['access', 'configs', row.name])}>
      {safe(row.name)}
    </a>,
    row.isSecret ? 'secret' : <span class="soft">plain</span>,
    <span class="mono">{safe(row.shown.slice(0, SHOWN).replace(/\s+/g, ' '))}</span>,
    <span class="soft">
      {actors.length === 0 ? 'nobody' : null}
      {actors.map((actor, at) => (
        <Fragment key={actor}>
          {at === 0 ? '' : ', '}
          <ActorName id={actor} />
        </Fragment>
      ))}
    </span>,
    <span class="soft">{safe(row.owner)}</span>,
    <Ago time={row.lastUpdateTime} />,
  ];
};

export const Configs = ({ q }: { readonly q: string }) => {
  const { value, problem } = usePolled(
    'configs',
    async (signal) => (await ask('GET /actors/v2/configs', { signal })).map(configRow),
    { every: EVERY_MS },
  );
  const all = value.value;
  const rows = useMemo(() => (all ?? []).filter((row) => isWantedConfig(row, q)), [all, q]);
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField placeholder="Name, actor, owner" value={q} onSearch={(text) => filter({ q: text })} />
      </form>
      <NewConfig />
      <Problem text={problem.value} />
      <FoundRows
        label="Configs"
        heads={heads}
        columns="config-rows"
        cells={cells}
        listing={q}
        of={all?.length}
        rows={rows}
        none="No configs yet. Create one with New config, or with this command:"
        command="actorctl configs create db -f db.json --secret --share ACTOR"
        noMatch="No config matches."
      />
    </>
  );
};
