// The rows of a listing that is read as a whole and filtered by a search, with their number, or a text that says why
// there are none.
import type { ComponentProps } from 'preact';
import { TerminalLine } from '../terminal-line.tsx';
import { VirtualRows } from '../virtual-rows.tsx';

type Table<R extends { readonly id: string }> = ComponentProps<typeof VirtualRows<R>>;

interface FoundRowsProps<R extends { readonly id: string }>
  extends Pick<Table<R>, 'label' | 'heads' | 'columns' | 'cells' | 'isTall' | 'listing'> {
  readonly of: number | undefined;
  readonly rows: readonly R[];
  readonly none: string;
  /** Creates or lists what is missing. Undefined if the text says enough. */
  readonly command?: string | undefined;
  readonly noMatch: string;
}

export const FoundRows = <R extends { readonly id: string }>(props: FoundRowsProps<R>) => {
  const { of, rows, none, command, noMatch, ...table } = props;
  return (
    <>
      {of === undefined ? null : rows.length === 0 ? (
        <div class="panel empty">
          <p>{of === 0 ? none : noMatch}</p>
          {of === 0 && command !== undefined ? <TerminalLine line={command} /> : null}
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
