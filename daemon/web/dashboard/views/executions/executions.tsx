// The executions: filters and a list that scrolls through all of them, or one execution.
import { serviceNow } from '../../api/service-time.ts';
import { ActorNames } from '../../parts/actor-name.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { formatMoment, zone } from '../../parts/time.ts';
import type { ViewProps } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { listingCommand } from './command.ts';
import { Detail } from './detail.tsx';
import { ExecutionList } from './execution-list.tsx';
import { FoundList } from './found-list.tsx';
import { type Filters, isLive } from './listing.ts';

type Choices = readonly (readonly [value: string, word: string])[];

const statuses: Choices = [
  ['', 'All'],
  ['RUNNING', 'Running'],
  ['SUBMITTED', 'Waiting'],
  ['COMPLETE', 'Complete, any exit'],
  ['complete', 'Complete, exit 0'],
  ['failed', 'Failed'],
  ['timed_out', 'Timed out'],
  ['halted', 'Halted'],
  ['out_of_memory', 'Out of memory'],
  ['ERROR', 'Error'],
  ['CANCELLED', 'Cancelled'],
];

const RANGE = 'range';
const times: Choices = [
  ['', 'All times'],
  ['1h', 'Last hour'],
  ['1d', 'Last day'],
  ['7d', 'Last week'],
  [RANGE, 'From … until …'],
];

const places: Choices = [
  ['', 'In all'],
  ['message', 'In messages'],
  ['log', 'In logs'],
];

const orders: Choices = [
  ['', 'Newest first'],
  ['oldest', 'Oldest first'],
  ['longest', 'Longest first'],
];

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: Choices;
  readonly onChoose: (value: string) => void;
}

const Choice = ({ label, value, choices, onChoose }: ChoiceProps) => (
  <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
    {choices.map(([each, word]) => (
      <option key={each} value={each}>
        {word}
      </option>
    ))}
  </select>
);

/** The value of a field for a local time: `2026-11-29T12:04:00`. */
const localOf = (iso: string | undefined): string =>
  iso === undefined || Number.isNaN(Date.parse(iso)) ? '' : formatMoment(Date.parse(iso)).replace(' ', 'T');

const isoOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

const Moment = ({ name, word, value }: { readonly name: string; readonly word: string; readonly value?: string }) => (
  <label>
    {word}
    <input
      type="datetime-local"
      step="1"
      title={zone()}
      value={localOf(value)}
      onChange={(event) => filter({ [name]: isoOf(event.currentTarget.value) })}
    />
  </label>
);

const DAY = 86_400_000;

export const Executions = ({ place }: ViewProps) => {
  const [, id] = place.path;
  if (id !== undefined) return <Detail key={id} id={id} />;
  const { status, actor, q, in: within, since = '', until = '', order } = place.query;
  const filters: Filters = { status, actor, q, in: within, since, until, order };
  const preset = until === '' && times.some(([value]) => value === since) ? since : RANGE;
  const chooseTime = (value: string): void =>
    filter({ since: value === RANGE ? new Date(serviceNow() - DAY).toISOString() : value, until: '' });
  return (
    <>
      <div class="head">
        <h1>Executions</h1>
        <Command line={listingCommand(filters)} />
      </div>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField placeholder="Message, log or id" value={q ?? ''} onSearch={(text) => filter({ q: text })} />
        {q ? (
          <Choice label="Where" value={within ?? ''} choices={places} onChoose={(value) => filter({ in: value })} />
        ) : null}
        <Choice
          label="Status"
          value={status ?? ''}
          choices={statuses}
          onChoose={(value) => filter({ status: value })}
        />
        <input
          aria-label="Actor, by name, alias or id"
          placeholder="Actor"
          list="actor-names"
          value={actor ?? ''}
          onChange={(event) => filter({ actor: event.currentTarget.value })}
        />
        <ActorNames id="actor-names" />
        <Choice label="Time" value={preset} choices={times} onChoose={chooseTime} />
        {preset === RANGE ? (
          <>
            <Moment name="since" word="From" value={since} />
            <Moment name="until" word="Until" value={until} />
          </>
        ) : null}
        <Choice label="Order" value={order ?? ''} choices={orders} onChoose={(value) => filter({ order: value })} />
      </form>
      {isLive(filters) ? <ExecutionList filters={filters} /> : <FoundList filters={filters} />}
    </>
  );
};
