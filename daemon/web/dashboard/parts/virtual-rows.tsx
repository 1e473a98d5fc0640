// A table that draws only the visible rows, so that ten thousand scroll like ten.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { windowOf } from './row-blocks.ts';

// A table element cannot leave rows out, so the roles are given to other elements.
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
  if (!(event.target instanceof Element) || event.target.closest('a, button') !== null) return;
  event.target.closest('.row')?.querySelector<HTMLElement>('[data-row]')?.click();
};

interface VirtualRowsProps {
  readonly label: string;
  readonly heads: readonly string[];
  readonly total: number;
  /** The cells of a row. The first focusable element of a row must have `data-row`. */
  readonly cells: (at: number) => readonly ComponentChildren[];
  /** Called with the drawn rows. */
  readonly onDrawn?: (first: number, last: number) => void;
  /** Name of the columns in the stylesheet. */
  readonly columns: string;
  /** Identifies the listing. Another one begins at the top. */
  readonly listing: string;
}

const rowHeight = (): number => Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row'));

/** A component of its own, so that a row that stays is not drawn again while others come and go. */
const Row = ({ at, top, heads, cells }: Pick<VirtualRowsProps, 'heads' | 'cells'> & { at: number; top: number }) => (
  <div class="row" {...rowOf(at + 2)} style={{ top: `${top}px` }}>
    {cells(at).map((cell, index) => (
      <span key={heads[index]} {...CELL}>
        {cell}
      </span>
    ))}
  </div>
);

export const VirtualRows = ({ label, heads, total, cells, onDrawn, columns, listing }: VirtualRowsProps) => {
  const box = useRef<HTMLDivElement>(null);
  const row = useRef(rowHeight());
  const drawn = useSignal({ first: 0, last: -1 });
  const measure = (): void => {
    const element = box.current;
    if (element === null) return;
    const next = windowOf(element.scrollTop, element.clientHeight, row.current, total);
    const { first, last } = drawn.peek();
    if (next.first !== first || next.last !== last) drawn.value = next;
  };
  useEffect(() => {
    box.current?.scrollTo({ top: 0 });
  }, [listing]);
  const newest = useRef(measure);
  newest.current = measure;
  // After every change of the listing, and when the size of the box changes.
  useEffect(measure, [total, listing]);
  useEffect(() => {
    const observer = new ResizeObserver(() => newest.current());
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current;
    element?.addEventListener('click', followLink);
    return () => element?.removeEventListener('click', followLink);
  }, []);
  const { first, last } = drawn.value;
  useEffect(() => {
    if (last >= first) onDrawn?.(first, last);
  }, [first, last, total, onDrawn]);
  const rows = Array.from({ length: Math.max(0, Math.min(last, total - 1) - first + 1) }, (_, index) => first + index);
  return (
    <div class={`rows ${columns}`} {...tableOf(label, total)}>
      <div class="head-row" {...rowOf(1)}>
        {heads.map((head) => (
          <span key={head} {...HEAD}>
            {head}
          </span>
        ))}
      </div>
      <div class="scroller" ref={box} onScroll={measure}>
        <div class="space" style={{ height: `${total * row.current}px` }}>
          {rows.map((at) => (
            <Row key={at} at={at} top={at * row.current} heads={heads} cells={cells} />
          ))}
        </div>
      </div>
    </div>
  );
};
