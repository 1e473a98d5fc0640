// The executions: filters and a list that scrolls through all of them, or one execution.
import { ActorNames } from '../../parts/actor-name.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import type { ViewProps } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { listingCommand } from './command.ts';
import { Detail } from './detail.tsx';
import { ExecutionList } from './execution-list.tsx';
import type { Filters } from './listing.ts';

const statuses = [
  ['', 'All'],
  ['RUNNING', 'Running'],
  ['SUBMITTED', 'Waiting'],
  ['COMPLETE', 'Complete'],
  ['failed', 'Failed'],
  ['ERROR', 'Error'],
  ['CANCELLED', 'Cancelled'],
] as const;

export const Executions = ({ place }: ViewProps) => {
  const [, id] = place.path;
  if (id !== undefined) return <Detail key={id} id={id} />;
  const { status, actor, q } = place.query;
  const filters: Filters = { status, actor, q };
  return (
    <>
      <div class="head">
        <h1>Executions</h1>
        <Command line={listingCommand(filters)} />
      </div>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField placeholder="Id, user, outcome" value={q ?? ''} onSearch={(text) => filter({ q: text })} />
        <select
          aria-label="Status"
          value={status ?? ''}
          onChange={(event) => filter({ status: event.currentTarget.value })}
        >
          {statuses.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
        <input
          aria-label="Actor, by name, alias or id"
          placeholder="Actor"
          list="actor-names"
          value={actor ?? ''}
          onChange={(event) => filter({ actor: event.currentTarget.value })}
        />
        <ActorNames id="actor-names" />
      </form>
      <ExecutionList filters={filters} />
    </>
  );
};
