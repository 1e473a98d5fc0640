// The rows of a listing that is read as a whole and narrowed by a search, with their number, or why there is none.
import type { ComponentProps } from 'preact';
import { TerminalLine } from '../terminal-line.tsx';
import { VirtualRows } from '../virtual-rows.tsx';

type Table<R extends { readonly id: string }> = ComponentProps<typeof VirtualRows<R>>;

interface FoundRowsProps<R extends { readonly id: string }>
  extends Pick<Table<R>, 'label' | 'heads' | 'columns' | 'cells' | 'listing'> {
  /** Number of all records; undefined: they are not read yet. */
  readonly of: number | undefined;
  /** The records that the search finds. */
  readonly rows: readonly R[];
  /** Said where there is no record at all, above the command line that makes one. */
  readonly none: string;
  readonly command: string;
  /** Said where the search finds nothing. */
  readonly noMatch: string;
}

export const FoundRows = <R extends { readonly id: string }>(props: FoundRowsProps<R>) => {
  const { of, rows, none, command, noMatch, ...table } = props;
  return (
    <>
      {of === undefined ? null : rows.length === 0 ? (
        <div class="panel empty">
          <p>{of === 0 ? none : noMatch}</p>
          {of === 0 ? <TerminalLine line={command} /> : null}
        </div>
      ) : (
        <VirtualRows {...table} total={rows.length} rowAt={(at) => rows[at]} />
      )}
      <p class="soft" role="status">
        {of === undefined ? '' : `${rows.length} of ${of}`}
      </p>
    </>
  );
};
