// The wiring: how links, aliases and webhooks connect actors, and which events they carry.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { EventView } from '../../../../../src/contract/actors/events.ts';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { commandLine } from '../../parts/command.ts';
import { wordOf } from '../../parts/names.ts';
import { Problem } from '../../parts/problem.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Command, TerminalLine } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import type { ViewProps } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { ConnectForm, ConnectQuestion } from './connect-actors.tsx';
import { EdgePanel } from './edge-panel.tsx';
import { EdgeRows } from './edge-rows.tsx';
import { narrowed, type WiredActor, type Wiring as WiringGraph, wiringOf } from './graph.ts';
import { MOST_NODES } from './layout.ts';
import { useFlows } from './use-flows.ts';
import { WireGraph } from './wire-graph.tsx';
import type { Busy } from './wire-node.tsx';

const EVERY_MS = 5_000;
const AFTER_EVENT_MS = 1_000;

const readActors = async (signal: AbortSignal): Promise<readonly WiredActor[]> => {
  const actors = await ask('GET /actors/v2', { query: { details: true }, signal });
  return Array.isArray(actors) ? actors : [];
};

const readBusy = async (signal: AbortSignal): Promise<ReadonlyMap<string, Busy>> => {
  const { busy } = await ask('GET /actors/v2/utilization/activity', { signal });
  return new Map(busy.map(({ id, running, waiting }) => [id, { running, waiting }]));
};

/** True for an event after which an actor may have another status, or a link another receiver. */
const changesWiring = ({ event_type, linkProblem }: EventView): boolean =>
  event_type === 'ACTOR_READY' || event_type === 'ACTOR_ERROR' || linkProblem !== undefined;

const NOT_BUSY: ReadonlyMap<string, Busy> = new Map();

const inOrder = ({ nodes, edges }: WiringGraph): WiringGraph => {
  const labelOf = (id: string): string => nodes.get(id)?.label ?? id;
  const order = new Intl.Collator('en', { numeric: true });
  return {
    nodes,
    edges: edges.toSorted(
      (one, other) =>
        order.compare(labelOf(one.from), labelOf(other.from)) || order.compare(labelOf(one.to), labelOf(other.to)),
    ),
  };
};

const Empty = ({ actors }: { readonly actors: readonly WiredActor[] }) => (
  <div class="panel empty">
    {actors.length === 0 ? (
      <>
        <p>There is no actor yet. This creates one:</p>
        <TerminalLine line="actorctl actors init my-actor" />
      </>
    ) : (
      <p>
        No actor has a link or a webhook yet. A link sends the events of one actor to another. A webhook sends them to
        an address: the page of the actor sets it.
      </p>
    )}
  </div>
);

const plural = (count: number, word: string): string =>
  `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;

export const Wiring = ({ place }: ViewProps) => {
  const { q = '', actor = '', edge = '', all } = place.query;
  const asked = useSignal<{ readonly from: string; readonly to: string } | undefined>(undefined);
  const refused = useSignal<string | undefined>(undefined);
  const { value, problem, again } = usePolled('wiring', readActors, {
    every: EVERY_MS,
    afterEvents: AFTER_EVENT_MS,
    concerns: changesWiring,
  });
  const { value: busy } = usePolled('busy', readBusy, { every: EVERY_MS, afterEvents: AFTER_EVENT_MS });
  const counts = useFlows();
  const actors = value.value;
  const whole = useMemo(() => inOrder(wiringOf(actors ?? [], location.origin)), [actors]);
  const wiring = useMemo(() => narrowed(whole, { q, actor, all: all === 'true' }), [whole, q, actor, all]);
  const drawn = [...wiring.nodes.values()].filter(({ kind }) => kind === 'actor').length;
  const isEmpty = whole.edges.length === 0 && (all !== 'true' || actors?.length === 0);
  return (
    <>
      <div class="head">
        <h1>Wiring</h1>
        <Command line={commandLine('links', 'graph', actor === '' ? undefined : wordOf(actor))} />
      </div>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField placeholder="Actor, alias, URL, status" value={q} onSearch={(text) => filter({ q: text })} />
        {actor === '' ? (
          <label>
            <input
              type="checkbox"
              checked={all === 'true'}
              onChange={(event) => filter({ all: event.currentTarget.checked ? 'true' : undefined })}
            />
            Include actors without links
          </label>
        ) : (
          <button type="button" onClick={() => filter({ actor: undefined })}>
            Only around {safe(whole.nodes.get(actor)?.label ?? actor)}. Show all
          </button>
        )}
      </form>
      {actors === undefined || actors.length === 0 ? null : <ConnectForm onChanged={again} />}
      <Problem text={problem.value} />
      <Problem text={refused.value} />
      {actors === undefined ? null : isEmpty ? (
        <Empty actors={actors} />
      ) : wiring.nodes.size === 0 ? (
        <p class="panel empty">No link and no webhook matches.</p>
      ) : (
        <>
          <div class={`wire-split ${edge === '' ? 'is-whole' : ''}`}>
            {wiring.nodes.size > MOST_NODES ? (
              <p class="panel empty">
                This graph has {wiring.nodes.size.toLocaleString('en')} nodes. Up to {MOST_NODES} can be drawn: search
                for words to see a part of it.
              </p>
            ) : (
              <WireGraph
                wiring={wiring}
                counts={counts}
                busy={busy.value ?? NOT_BUSY}
                selected={edge}
                onConnect={(from, to) => {
                  refused.value = undefined;
                  asked.value = { from, to };
                }}
              />
            )}
            {edge === '' ? null : (
              <EdgePanel
                key={edge}
                edge={whole.edges.find(({ id }) => id === edge)}
                wiring={whole}
                counts={counts}
                onChanged={again}
              />
            )}
          </div>
          {asked.value === undefined ? null : (
            <ConnectQuestion
              wiring={whole}
              {...asked.value}
              onChanged={again}
              onFailed={(why) => {
                refused.value = why;
              }}
              onClose={() => {
                asked.value = undefined;
              }}
            />
          )}
          {wiring.edges.length === 0 ? null : (
            <EdgeRows wiring={wiring} counts={counts} selected={edge} listing={`${q} ${actor}`} />
          )}
        </>
      )}
      <p class="soft" role="status">
        {actors === undefined || isEmpty
          ? ''
          : `${plural(wiring.edges.length, 'edge')}, ${drawn} of ${plural(actors.length, 'actor')}`}
      </p>
    </>
  );
};
