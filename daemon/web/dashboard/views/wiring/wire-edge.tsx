// An edge of the graph: its line, and its label with the number of events in the last minute.
import type { ReadonlySignal } from '@preact/signals';
import { safe } from '../../parts/text.ts';
import { type Counts, type Flow, flowOf } from './flows.ts';
import { pathOf, strokeOf, tipOf } from './geometry.ts';
import type { Edge, Wiring } from './graph.ts';
import type { Line } from './layout.ts';

interface EdgeProps {
  readonly edge: Edge;
  readonly line: Line;
  readonly counts: ReadonlySignal<Counts>;
  readonly isSelected: boolean;
}

interface LabelProps extends EdgeProps {
  readonly wiring: Wiring;
  readonly href: string;
  readonly isTabStop: boolean;
}

export const titleOf = ({ from, to }: Edge, { nodes }: Wiring): string =>
  [from, to].map((id) => safe(nodes.get(id)?.label ?? id)).join(' → ');

/** `12`, `3 not sent`, or `12, 3 not sent`. */
export const formatFlow = ({ sent, lost }: Flow): string =>
  [
    ...(sent > 0 || lost === 0 ? [sent.toLocaleString('en')] : []),
    ...(lost > 0 ? [`${lost.toLocaleString('en')} not sent`] : []),
  ].join(', ');

const classOf = ({ kind, problem }: Edge, { sent, lost }: Flow, isSelected: boolean): string =>
  [
    `is-${kind}`,
    problem === undefined ? '' : 'is-broken',
    sent + lost > 0 ? 'is-active' : '',
    isSelected ? 'is-selected' : '',
  ].join(' ');

/** The line. A click on it or beside it selects the edge. */
const EdgeLine = ({ edge, line, counts, isSelected }: EdgeProps) => {
  const flow = flowOf(edge, counts.value);
  const path = pathOf(line);
  return (
    <g class={`wire ${classOf(edge, flow, isSelected)}`} data-edge={edge.id}>
      <path class="wire-hit" d={path} fill="none" stroke-width="16" />
      <path class="wire-line" d={path} fill="none" stroke-width={strokeOf(flow.sent)} />
      <path class="wire-tip" d="M0 0L-9 -4.5L-9 4.5Z" transform={tipOf(line)} />
    </g>
  );
};

interface LinesProps {
  readonly edges: readonly EdgeProps[];
  readonly counts: ReadonlySignal<Counts>;
  readonly width: number;
  readonly height: number;
}

export const EdgeLines = ({ edges, counts, width, height }: LinesProps) => {
  const rankOf = ({ edge, isSelected }: EdgeProps): number =>
    isSelected ? 2 : Math.sign(flowOf(edge, counts.value).sent);
  return (
    <svg class="wire-lines" width={width} height={height} aria-hidden="true">
      {edges
        .toSorted((one, other) => rankOf(one) - rankOf(other))
        .map((line) => (
          <EdgeLine key={line.edge.id} {...line} />
        ))}
    </svg>
  );
};

/** The label: a link that selects the edge. It is a dot if there is nothing to show. */
export const EdgeLabel = ({ edge, line, counts, isSelected, wiring, href, isTabStop }: LabelProps) => {
  const flow = flowOf(edge, counts.value);
  const { kind, alias, problem } = edge;
  const words = [
    ...(alias === undefined ? [] : [`via ${safe(alias)}`]),
    ...(flow.sent > 0 ? [flow.sent.toLocaleString('en')] : []),
    ...(problem === undefined && flow.lost === 0 ? [] : ['!']),
  ];
  const name = [
    titleOf(edge, wiring),
    alias === undefined ? kind : `${kind} through the alias ${safe(alias)}`,
    `${formatFlow(flow)} in the last minute`,
    ...(problem === undefined ? [] : [safe(problem)]),
  ].join(', ');
  return (
    <a
      class={`wire-label ${words.length === 0 ? 'is-dot' : ''} ${classOf(edge, flow, isSelected)}`}
      href={href}
      data-stop={edge.id}
      tabIndex={isTabStop ? 0 : -1}
      draggable={false}
      aria-current={isSelected ? 'true' : undefined}
      title={name}
      style={{ left: `${line.label.x}px`, top: `${line.label.y}px` }}
    >
      <span class="visually-hidden">{name}</span>
      <span aria-hidden="true">{words.join(' · ')}</span>
    </a>
  );
};
