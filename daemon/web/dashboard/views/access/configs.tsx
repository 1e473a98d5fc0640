// The configs that the caller may read.
import { Fragment } from 'preact';
import { useMemo } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { ActorName } from '../../parts/actor-name.tsx';
import { Ago } from '../../parts/ago.tsx';
import { Problem } from '../../parts/problem.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { TerminalLine } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { hashOf } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { type ConfigRow, configRow, isWantedConfig, sharedWith } from './rows.ts';

const EVERY_MS = 15_000;

/** Characters of a value in the list. */
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
      <Problem text={problem.value} />
      {all === undefined ? null : rows.length === 0 ? (
        <div class="panel empty">
          <p>{all.length === 0 ? 'There is no config that you may read. This creates one:' : 'No config matches.'}</p>
          {all.length === 0 ? (
            <TerminalLine line="actorctl configs create db -f db.json --secret --share ACTOR" />
          ) : null}
        </div>
      ) : (
        <VirtualRows
          label="Configs"
          heads={heads}
          columns="config-rows"
          total={rows.length}
          rowAt={(at) => rows[at]}
          cells={cells}
          listing={q}
        />
      )}
      <p class="soft" role="status">
        {all === undefined ? '' : `${rows.length} of ${all.length}`}
      </p>
    </>
  );
};
