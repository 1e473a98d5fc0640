// The palette: jumps to a view, an actor, an execution or an action whose words one types.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatDetail } from '../../../../src/contract/outcome.ts';
import { ask } from '../api/call.ts';
import { usePolled } from '../api/poll.ts';
import { knownActors, readNames } from '../parts/names.ts';
import { Problem } from '../parts/problem.tsx';
import { safe } from '../parts/text.ts';
import type { ExecutionRow } from '../views/executions/listing.ts';
import { buttonEntries, type Entry, entriesFor, staticEntries } from './palette-entries.ts';
import { go } from './router.ts';

/** Shortest text with which executions are searched. */
const SHORTEST = 2;
const EXECUTIONS = 5;
const NEVER_AGAIN = { every: Number.POSITIVE_INFINITY };

/** The newest executions that contain a text. */
const findExecutions = async (text: string, signal: AbortSignal): Promise<readonly Entry[]> => {
  if (text.length < SHORTEST) return [];
  const page = async (skip: number, limit: number) =>
    ask('GET /actors/v2/search/:type', {
      params: { type: 'executions' },
      query: { exactsearch: text, skip, limit },
      signal,
    });
  // The service lists the oldest first.
  const { totalCount } = (await page(0, 1))._metadata;
  const { search } = await page(Math.max(0, totalCount - EXECUTIONS), EXECUTIONS);
  return (search as unknown as readonly ExecutionRow[]).toReversed().map((row) => ({
    kind: 'Execution',
    title: row.id,
    note: formatDetail(row),
    open: () => go(['executions', row.id]),
  }));
};

export interface PaletteProps {
  readonly onClose: () => void;
  readonly onKeys: () => void;
}

export const Palette = ({ onClose, onKeys }: PaletteProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
  const at = useSignal(0);
  useEffect(() => {
    dialog.current?.showModal();
    readNames();
  }, []);
  const wanted = text.value.trim();
  const executions = usePolled(wanted, (signal) => findExecutions(wanted, signal), NEVER_AGAIN);
  const found = executions.value.value ?? [];
  const buttons = useMemo(buttonEntries, []);
  const entries = entriesFor(wanted, [...staticEntries({ actors: knownActors(), onKeys }), ...buttons, ...found]);
  const current = entries[at.value];

  const open = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    dialog.current?.close();
    entry.open();
  };
  const pressed = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const by = steps[event.key];
    if (event.key === 'Enter') open(current);
    else if (by === undefined || entries.length === 0) return;
    else at.value = (at.value + by + entries.length) % entries.length;
    event.preventDefault();
  };
  useEffect(() => {
    document.getElementById(`palette-${at.value}`)?.scrollIntoView({ block: 'nearest' });
  }, [at.value]);
  return (
    <dialog ref={dialog} class="palette" aria-label="Go to" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Actor, execution, view or action"
        placeholder="Actor, execution, view or action"
        aria-expanded="true"
        aria-controls="palette-entries"
        aria-activedescendant={current === undefined ? undefined : `palette-${at.value}`}
        spellcheck={false}
        autocomplete="off"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={pressed}
      />
      <div id="palette-entries" role="listbox" aria-label="Found">
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          <div
            key={index}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at.value}
            onClick={() => open(entry)}
          >
            <span class="soft">{entry.kind}</span> <span>{safe(entry.title)}</span>{' '}
            <span class="soft">{safe(entry.note ?? '')}</span>
          </div>
        ))}
      </div>
      <Problem text={executions.problem.value} />
      {entries.length === 0 ? (
        <p class="soft" role="status">
          Nothing is called "{safe(wanted)}".
        </p>
      ) : null}
    </dialog>
  );
};
