// The edges as a table: an alternative to the graph, accessible without sight.
import type { ReadonlySignal } from '@preact/signals';
import { useCallback, useMemo } from 'preact/hooks';
import { safe } from '../../parts/text.ts';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { type Counts, flowOf } from './flows.ts';
import type { Edge, Wiring } from './graph.ts';
import { formatFlow } from './wire-edge.tsx';
import { hrefOf } from './wire-graph.tsx';

const HEADS = ['From', 'To', 'Kind', 'Last minute'];

interface EdgeRow {
  readonly id: string;
  readonly edge: Edge;
  readonly from: string;
  readonly to: string;
  readonly href: string;
  readonly isSelected: boolean;
}

interface RowsProps {
  readonly wiring: Wiring;
  readonly counts: ReadonlySignal<Counts>;
  readonly selected: string;
  readonly listing: string;
}

/** A component, so that the count changes without rendering the row again. */
const FlowCell = ({ edge, counts }: { readonly edge: Edge; readonly counts: ReadonlySignal<Counts> }) => {
  const flow = flowOf(edge, counts.value);
  if (flow.sent + flow.lost === 0) return <span class="soft">–</span>;
  return <span class={flow.lost === 0 ? '' : 'bad'}>{formatFlow(flow)}</span>;
};

export const EdgeRows = ({ wiring, counts, selected, listing }: RowsProps) => {
  const rows = useMemo((): readonly EdgeRow[] => {
    const labelOf = (id: string): string => safe(wiring.nodes.get(id)?.label ?? id);
    return wiring.edges.map((edge) => ({
      id: edge.id,
      edge,
      from: labelOf(edge.from),
      to: labelOf(edge.to),
      href: hrefOf(edge.id),
      isSelected: edge.id === selected,
    }));
  }, [wiring, selected]);
  const cells = useCallback(
    (row: EdgeRow | undefined) => {
      if (row === undefined) return [];
      const { edge, from, to, href, isSelected } = row;
      const { kind, alias, problem } = edge;
      const words = `${problem === undefined ? '' : 'broken '}${kind}${alias === undefined ? '' : ` via ${safe(alias)}`}`;
      return [
        <a data-row href={href} aria-current={isSelected ? 'true' : undefined}>
          {from}
        </a>,
        <span title={to}>{to}</span>,
        <span class={problem === undefined ? 'soft' : 'bad'} title={safe(problem ?? words)}>
          {words}
        </span>,
        <FlowCell edge={edge} counts={counts} />,
      ];
    },
    [counts],
  );
  const rowAt = useCallback((at: number) => rows[at], [rows]);
  return (
    <VirtualRows
      label="Links and webhooks"
      heads={HEADS}
      columns="wire-rows"
      total={rows.length}
      rowAt={rowAt}
      cells={cells}
      listing={listing}
    />
  );
};
