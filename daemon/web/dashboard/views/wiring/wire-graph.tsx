// The drawn graph: nodes above lines. It can be scrolled, dragged and zoomed.
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { hashOf } from '../../shell/place.ts';
import { place } from '../../shell/router.ts';
import type { Counts } from './flows.ts';
import { stopAt, stopsOf } from './geometry.ts';
import type { Wiring } from './graph.ts';
import { createLayout, inRows, NARROW, structureOf, WIDE } from './layout.ts';
import { useConnecting } from './use-connecting.ts';
import { usePanning } from './use-panning.ts';
import { EdgeLabel, EdgeLines } from './wire-edge.tsx';
import { type Busy, Node } from './wire-node.tsx';
import { beginning, fitting, limited } from './zoom.ts';

/** Space around the graph, which must match the stylesheet, and a scroll bar. */
const EDGE = 2 * 20 + 16;
const STEP = 1.25;
const NARROW_BELOW = 560;

interface GraphProps {
  readonly wiring: Wiring;
  readonly counts: ReadonlySignal<Counts>;
  readonly busy: ReadonlyMap<string, Busy>;
  readonly selected: string;
  /** Called with the ids of two actors after a drag from one to the other. */
  readonly onConnect: (from: string, to: string) => void;
}

export const hrefOf = (edge: string | undefined): string => hashOf(['wiring'], { ...place.value.query, edge });

export const WireGraph = ({ wiring, counts, busy, selected, onConnect }: GraphProps) => {
  const box = useRef<HTMLDivElement>(null);
  const plane = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  /** Undefined until the user zooms. */
  const chosen = useSignal<number | undefined>(undefined);
  const tabStop = useSignal('');
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    // The full width is used: the width without a scroll bar would change whenever the bar appears or disappears.
    const measure = (): void => {
      width.value = Math.floor(element.offsetWidth / 20) * 20;
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [width]);

  const sizes = width.value < NARROW_BELOW ? NARROW : WIDE;
  const layOut = useMemo(createLayout, []);
  const structure = structureOf(wiring, sizes);
  // The state of actors changes with every read, but their positions do not.
  const parts = useMemo(() => (width.value === 0 ? [] : layOut(wiring, sizes)), [structure, width.value === 0]);
  const placed = useMemo(() => inRows(parts, width.value - EDGE), [parts, width.value]);
  const stops = useMemo(() => stopsOf(placed, (id) => wiring.nodes.get(id)?.kind === 'actor'), [placed]);

  const room = (): { width: number; height: number } => ({
    width: width.peek() - EDGE,
    height: box.current === null ? 0 : Number.parseFloat(getComputedStyle(box.current).maxHeight) - EDGE,
  });
  const isEmpty = placed.nodes.size === 0;
  const zoom = chosen.value ?? (isEmpty ? 1 : beginning(placed, room()));
  const pan = usePanning(box, zoom, (factor) => {
    chosen.value = limited(zoom * factor);
  });

  const drawn = useConnecting(box, plane, onConnect).value;

  // An edge that is selected in the table scrolls into view. The page itself does not scroll.
  useEffect(() => {
    const at = placed.edges.get(selected)?.label;
    const element = box.current;
    if (at === undefined || element === null) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
    const [x, y] = [at.x * zoom, at.y * zoom];
    const isSeen = x > scrollLeft && y > scrollTop && x < scrollLeft + clientWidth && y < scrollTop + clientHeight;
    if (!isSeen) element.scrollTo(x - clientWidth / 2, y - clientHeight / 2);
  }, [selected, isEmpty]);

  const isStop = stops.some(({ id }) => id === tabStop.value);
  const tabbed = isStop ? tabStop.value : stops[0]?.id;
  useEffect(() => {
    const element = box.current;
    const focused = (event: FocusEvent): void => {
      const id = event.target instanceof HTMLElement ? event.target.dataset['stop'] : undefined;
      if (id !== undefined) tabStop.value = id;
    };
    const clicked = (event: MouseEvent): void => {
      const edge = event.target instanceof Element ? event.target.closest<SVGElement>('[data-edge]') : null;
      if (edge?.dataset['edge'] !== undefined) location.hash = hrefOf(edge.dataset['edge']);
    };
    element?.addEventListener('focusin', focused);
    element?.addEventListener('click', clicked);
    return () => {
      element?.removeEventListener('focusin', focused);
      element?.removeEventListener('click', clicked);
    };
  }, [tabStop]);
  useEffect(() => {
    const element = box.current;
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof HTMLElement)) return;
      const next = stopAt(stops, event.target.dataset['stop'] ?? '', event.key);
      if (next === undefined) return;
      event.preventDefault();
      [...(element?.querySelectorAll<HTMLElement>('[data-stop]') ?? [])]
        .find(({ dataset }) => dataset['stop'] === next.id)
        ?.focus();
    };
    element?.addEventListener('keydown', pressed);
    return () => element?.removeEventListener('keydown', pressed);
  }, [stops]);

  const edges = wiring.edges.flatMap((edge) => {
    const line = placed.edges.get(edge.id);
    return line === undefined ? [] : [{ edge, line, counts, isSelected: edge.id === selected }];
  });
  return (
    <section class="panel" aria-label="Graph">
      <header>
        <p class="wire-keys soft">
          <span class="is-link">link</span> <span class="is-webhook">webhook</span>{' '}
          <span class="is-active">events in the last minute</span> <span class="is-broken">broken</span>
        </p>
        <p class="actions">
          <button type="button" class="quiet" aria-label="Zoom out" onClick={() => pan.zoomBy(1 / STEP)}>
            −
          </button>
          <span class="soft">{Math.round(zoom * 100)} %</span>
          <button type="button" class="quiet" aria-label="Zoom in" onClick={() => pan.zoomBy(STEP)}>
            +
          </button>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              chosen.value = fitting(placed, room());
            }}
          >
            Fit
          </button>
        </p>
      </header>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
      <div
        class="wire-box"
        ref={box}
        role="group"
        aria-label="Actors and their links. Use the arrow keys to move along the links. The page of an actor changes its link."
      >
        <div class="wire-space" style={{ width: `${placed.width * zoom}px`, height: `${placed.height * zoom}px` }}>
          <div
            class="wire-plane"
            ref={plane}
            style={{ width: `${placed.width}px`, height: `${placed.height}px`, transform: `scale(${zoom})` }}
          >
            <EdgeLines edges={edges} counts={counts} width={placed.width} height={placed.height} />
            {[...wiring.nodes.values()].map((node) => {
              const at = placed.nodes.get(node.id);
              return at === undefined ? null : (
                <Node key={node.id} node={node} box={at} busy={busy.get(node.id)} isTabStop={node.id === tabbed} />
              );
            })}
            {edges.map((edge) => (
              <EdgeLabel
                key={edge.edge.id}
                {...edge}
                wiring={wiring}
                href={hrefOf(edge.edge.id)}
                isTabStop={edge.edge.id === tabbed}
              />
            ))}
            {drawn === undefined ? null : (
              <svg class="wire-drawn" aria-hidden="true">
                <line
                  x1={drawn.from[0] / zoom}
                  y1={drawn.from[1] / zoom}
                  x2={drawn.to[0] / zoom}
                  y2={drawn.to[1] / zoom}
                />
              </svg>
            )}
          </div>
        </div>
      </div>
    </section>
  );
};
