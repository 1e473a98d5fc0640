// The selected edge: what it connects, what was sent along it, and the buttons that change it.
import type { ReadonlySignal } from '@preact/signals';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { Ago } from '../../parts/ago.tsx';
import { commandLine } from '../../parts/command.ts';
import { wordOf } from '../../parts/names.ts';
import { Problem } from '../../parts/problem.tsx';
import { Status } from '../../parts/status.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { LinkActions } from '../actors/connect/link.tsx';
import { WebhookActions } from '../actors/connect/webhook.tsx';
import { refusalOf, useLevel } from '../actors/level.ts';
import { type Counts, flowOf, formatUnlinked } from './flows.ts';
import type { Edge, WireNode, Wiring } from './graph.ts';
import { formatFlow, titleOf } from './wire-edge.tsx';
import { hrefOf } from './wire-graph.tsx';

const SHOWN = 8;
const EVERY_MS = 10_000;
/** Interval of reads. A delivery ends some time after its event, and no event reports its end. */
const DELIVERIES_EVERY_MS = 3_000;
const AFTER_EVENT_MS = 1_000;
const S_IN_MS = 1_000;

const None = () => <p class="soft">Nothing yet.</p>;

const EventLink = ({ id, type }: { readonly id: string; readonly type: string }) => (
  <a class="link mono" href={hashOf(['events', id])}>
    {safe(type)}
  </a>
);

const AlongLink = ({ actorId }: { readonly actorId: string }) => {
  const { value, problem } = usePolled(
    `along ${actorId}`,
    (signal) => ask('GET /actors/v2/events', { query: { actorId, order: 'desc', limit: SHOWN }, signal }),
    { every: EVERY_MS, afterEvents: AFTER_EVENT_MS, concerns: (event) => event.actor_id === actorId },
  );
  const events = value.value?.events;
  return (
    <>
      <Problem text={problem.value} />
      {events === undefined ? null : events.length === 0 ? (
        <None />
      ) : (
        <ul class="wire-last">
          {events.map(({ id, event_type, event_time_utc, deliveries, linkProblem }) => (
            <li key={id}>
              <Ago time={new Date(event_time_utc * S_IN_MS).toISOString()} />
              <EventLink id={id} type={event_type} />
              {deliveries.link !== null ? (
                <a class="link" href={hashOf(['executions', deliveries.link])}>
                  its execution
                </a>
              ) : linkProblem === undefined ? (
                <span class="soft">{formatUnlinked({ event_type })}</span>
              ) : (
                <span class="bad">not sent</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
};

const ToWebhook = ({ actorId }: { readonly actorId: string }) => {
  const { value, problem } = usePolled(
    `to ${actorId}`,
    (signal) => ask('GET /actors/v2/deliveries', { query: { actorId, limit: SHOWN }, signal }),
    { every: DELIVERIES_EVERY_MS, afterEvents: AFTER_EVENT_MS, concerns: (event) => event.actor_id === actorId },
  );
  const deliveries = value.value?.deliveries.toReversed();
  return (
    <>
      <Problem text={problem.value} />
      {deliveries === undefined ? null : deliveries.length === 0 ? (
        <None />
      ) : (
        <ul class="wire-last">
          {deliveries.map(({ id, eventId, eventType, status, httpStatus, error, createTime }) => (
            <li key={id}>
              <Ago time={createTime} />
              <EventLink id={eventId} type={eventType ?? eventId} />
              <span>
                <Status status={status} /> {httpStatus ?? ''} <span class="bad">{safe(error ?? '')}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
};

const End = ({ node, id }: { readonly node: WireNode | undefined; readonly id: string }) =>
  node?.kind === 'actor' ? (
    <a class="link" href={hashOf(['actors', id])}>
      {safe(node.label)}
    </a>
  ) : (
    <span>{safe(node?.label ?? id)}</span>
  );

/** The buttons that change the edge. */
const Actions = ({ edge, onChanged }: { readonly edge: Edge; readonly onChanged: () => void }) => {
  const { kind, from } = edge;
  const { value, problem, again } = usePolled(
    `wired ${from}`,
    (signal) => ask('GET /actors/v2/:actorId', { params: { actorId: from }, signal }),
    { every: EVERY_MS, afterEvents: AFTER_EVENT_MS, concerns: (event) => event.actor_id === from },
  );
  const level = useLevel(from);
  const actor = value.value;
  if (actor === undefined) return <Problem text={problem.value} />;
  const given = {
    actor,
    refusal: refusalOf(level.value, 'UPDATE'),
    onChanged: () => {
      again();
      onChanged();
    },
  };
  return kind === 'link' ? <LinkActions {...given} /> : <WebhookActions {...given} />;
};

interface PanelProps {
  readonly edge: Edge | undefined;
  readonly wiring: Wiring;
  readonly counts: ReadonlySignal<Counts>;
  readonly onChanged: () => void;
}

export const EdgePanel = ({ edge, wiring, counts, onChanged }: PanelProps) => {
  if (edge === undefined) {
    return (
      <p class="panel empty">
        The selected edge is not there any more.{' '}
        <a class="link" href={hrefOf(undefined)}>
          Close
        </a>
      </p>
    );
  }
  const { kind, from, to, alias, problem } = edge;
  return (
    <section class="panel" aria-labelledby="edge-title">
      <header>
        <h2 id="edge-title">{titleOf(edge, wiring)}</h2>
        <div class="actions">
          <Command
            line={
              kind === 'link'
                ? commandLine('links', 'show', wordOf(from))
                : commandLine('webhooks', 'deliveries', wordOf(from))
            }
          />
          <a class="link" href={hrefOf(undefined)}>
            Close
          </a>
        </div>
      </header>
      <div class="body">
        {problem === undefined ? null : <p class="problem">{safe(problem)}</p>}
        <dl class="facts">
          <dt>kind</dt>
          <dd>{kind}</dd>
          <dt>from</dt>
          <dd>
            <End node={wiring.nodes.get(from)} id={from} />
          </dd>
          <dt>to</dt>
          <dd>
            <End node={wiring.nodes.get(to)} id={to} />
            {alias === undefined ? null : <span class="soft"> through the alias {safe(alias)}</span>}
          </dd>
          <dt>last minute</dt>
          <dd>{formatFlow(flowOf(edge, counts.value))}</dd>
        </dl>
        {kind === 'link' ? <AlongLink key={from} actorId={from} /> : <ToWebhook key={from} actorId={from} />}
        <Actions edge={edge} onChanged={onChanged} />
      </div>
    </section>
  );
};
