// A table that renders only the visible rows, so that ten thousand rows scroll like ten.
import { useSignal } from '@preact/signals';
import { Component, type ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type KeptPlace, keptPlace, notePlace, storePlace } from '../shell/kept-place.ts';
import { movedBy, uniqueKeys, windowOf } from './row-blocks.ts';

// An HTML table cannot leave out rows, so other elements get the table roles.
const tableOf = (label: string, total: number) => ({
  role: 'table' as const,
  'aria-label': label,
  'aria-rowcount': total + 1,
});
const rowOf = (index: number) => ({ role: 'row' as const, 'aria-rowindex': index });
const HEAD = { role: 'columnheader' } as const;
const CELL = { role: 'cell' } as const;

/** A click beside the link of a row follows the link. The link itself is what a keyboard reaches. */
const followLink = (event: MouseEvent): void => {
  if (!(event.target instanceof Element) || event.target.closest('a, button, input') !== null) return;
  event.target.closest('.row')?.querySelector<HTMLElement>('[data-row]')?.click();
};

const focusedIn = (box: HTMLElement): number | undefined => {
  const row = box.contains(document.activeElement) ? document.activeElement?.closest('.row') : null;
  return row === null || row === undefined ? undefined : Number(row.getAttribute('aria-rowindex')) - 2;
};

interface Identified {
  readonly id: string;
}

/** How one record is drawn. Constant for a view: a row is drawn again only when its record is another object. */
interface Columns<R extends Identified> {
  readonly heads: readonly string[];
  /**
   * The cells of a record; undefined: it is not read yet. The link of the row must have `data-row`. What
   * changes without the record, such as an age or the name of an actor, must be a component.
   */
  readonly cells: (record: R | undefined) => readonly ComponentChildren[];
}

interface VirtualRowsProps<R extends Identified> extends Columns<R> {
  readonly label: string;
  readonly total: number;
  /** A new function whenever records have changed. */
  readonly rowAt: (at: number) => R | undefined;
  /** Called with the range of rendered rows. */
  readonly onDrawn?: (first: number, last: number) => void;
  readonly columns: string;
  /** True if a row has two lines on a narrow screen. */
  readonly isTall?: boolean;
  /** Identifies the listing. A different listing starts at the top. */
  readonly listing: string;
}

interface RowProps<R extends Identified> extends Columns<R> {
  readonly at: number;
  readonly top: number;
  readonly record: R | undefined;
}

/** A tall row has two lines on a narrow screen. */
const rowHeight = (isTall: boolean): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue(isTall ? '--tall-row' : '--row'));

type CellsProps<R extends Identified> = Pick<RowProps<R>, 'record' | 'heads' | 'cells'>;

/**
 * The cells are drawn once for each record. A memo of the drawn elements would do the same, but each element refers to
 * the tree in which it was first drawn: the rows of that tree, and through their memos all rows before, stay in memory.
 */
class Cells<R extends Identified> extends Component<CellsProps<R>> {
  override shouldComponentUpdate({ record, heads, cells }: CellsProps<R>): boolean {
    return record !== this.props.record || heads !== this.props.heads || cells !== this.props.cells;
  }

  override render({ record, heads, cells }: CellsProps<R>) {
    return cells(record).map((cell, index) => (
      <span key={heads[index]} {...CELL}>
        {cell}
      </span>
    ));
  }
}

const Row = <R extends Identified>({ at, top, ...content }: RowProps<R>) => (
  <div class="row" {...rowOf(at + 2)} style={{ top: `${top}px` }}>
    <Cells {...content} />
  </div>
);

/** The row that stays at its position on the screen when records arrive above it. */
interface Anchor {
  readonly listing: string;
  readonly key: string;
  readonly at: number;
}

export const VirtualRows = <R extends Identified>(props: VirtualRowsProps<R>) => {
  const { label, heads, cells, total, rowAt, onDrawn, columns, isTall = false, listing } = props;
  const box = useRef<HTMLDivElement>(null);
  const height = useSignal(useMemo(() => rowHeight(isTall), []));
  const row = height.value;
  const drawn = useSignal({ first: 0, last: -1 });
  const anchor = useRef<Anchor | undefined>(undefined);
  /** The place to return to, until its row has the focus again. */
  const returning = useRef<KeptPlace | undefined>(undefined);
  const keyOf = (at: number): string => rowAt(at)?.id ?? `unread ${total - at}`;
  const held = anchor.current?.listing === listing ? anchor.current : undefined;
  const moved = held === undefined ? 0 : movedBy(held, keyOf, total);

  const measure = (): void => {
    const element = box.current;
    if (element === null) return;
    // Another width can have rows of another height.
    height.value = rowHeight(isTall);
    const { scrollTop, clientHeight } = element;
    const focused = focusedIn(element);
    const at = focused ?? Math.ceil(scrollTop / row);
    // At the top, and without focus, new records scroll into view.
    anchor.current = focused === undefined && scrollTop <= 0 ? undefined : { listing, key: keyOf(at), at };
    if (focused !== undefined) returning.current = undefined;
    const below = total - Math.floor(scrollTop / row);
    notePlace({
      listing,
      below,
      focused: focused === undefined ? returning.current?.focused : rowAt(focused)?.id,
    });
    const next = windowOf(scrollTop, clientHeight, row, total);
    const { first, last } = drawn.peek();
    if (next.first !== first || next.last !== last) drawn.value = next;
  };
  const first = Math.max(0, drawn.value.first + moved);
  const last = Math.min(drawn.value.last + moved, total - 1);
  // Runs before the browser paints, so that the rows do not jump.
  useLayoutEffect(() => {
    if (moved === 0 || held === undefined) return;
    anchor.current = { ...held, at: held.at + moved };
    drawn.value = { first, last };
    box.current?.scrollBy({ top: moved * row });
  });
  useEffect(() => {
    returning.current = keptPlace(listing);
    const { below = total } = returning.current ?? {};
    box.current?.scrollTo({ top: Math.max(0, total - below) * row });
  }, [listing]);
  const newest = useRef(measure);
  newest.current = measure;
  // Runs after every change of the listing, and when the size of the box changes.
  useEffect(measure, [total, listing]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const again = (): void => newest.current();
    const observer = new ResizeObserver(again);
    observer.observe(element);
    // A link in a row leaves the list.
    element.addEventListener('click', storePlace);
    element.addEventListener('click', followLink);
    element.addEventListener('focusin', again);
    element.addEventListener('focusout', again);
    return () => {
      observer.disconnect();
      element.removeEventListener('click', storePlace);
      element.removeEventListener('click', followLink);
      element.removeEventListener('focusin', again);
      element.removeEventListener('focusout', again);
    };
  }, []);
  useEffect(() => {
    if (last >= first) onDrawn?.(first, last);
  }, [first, last, total, onDrawn]);
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  // Runs after each rendering, because the row may not be read yet.
  useEffect(() => {
    const id = returning.current?.focused;
    if (id === undefined || last < first) return;
    const at = rows.find((each) => rowAt(each)?.id === id);
    if (at === undefined && rows.some((each) => rowAt(each) === undefined)) return;
    returning.current = undefined;
    const link = box.current?.querySelector<HTMLElement>(`[aria-rowindex="${(at ?? -1) + 2}"] [data-row]`);
    // The user may have gone on meanwhile. An action that led to this list gives the focus to the heading.
    if (document.activeElement?.matches('body, h1') === true) link?.focus({ preventScroll: true });
  });
  const keys = uniqueKeys(rows.map(keyOf));
  return (
    <div class={`rows ${isTall ? 'tall ' : ''}${columns}`} {...tableOf(label, total)}>
      <div class="head-row" {...rowOf(1)}>
        {heads.map((head) => (
          <span key={head} {...HEAD}>
            {head}
          </span>
        ))}
      </div>
      <div class="scroller" ref={box} onScroll={measure}>
        <div class="space" style={{ height: `${total * row}px` }}>
          {rows.map((at, index) => (
            <Row key={keys[index]} at={at} top={at * row} record={rowAt(at)} heads={heads} cells={cells} />
          ))}
        </div>
      </div>
    </div>
  );
};
