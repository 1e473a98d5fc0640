// Executions that are selected in a list, and what is done with all of them at once.

import { signal, useSignal } from '@preact/signals';
import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { Confirm } from '../../parts/actions/confirm.tsx';
import { mapConcurrently } from '../../parts/actions/map-concurrently.ts';
import { useOngoing } from '../../parts/actions/ongoing.ts';
import { announce } from '../../parts/announce.tsx';
import { commandLine } from '../../parts/command.ts';
import { refusalOf, useLevels } from '../actors/level.ts';
import { isStored, NOT_STORED } from './stored-message.ts';

/** A row of any list of executions. */
interface Row {
  readonly id: string;
  readonly actorId: string;
  readonly status: string;
  readonly trigger: string;
  /** Null if it is not stored, or not shown to the user. Absent in the rows of a search. */
  readonly message?: unknown;
}

interface Listed {
  /** The position of a loaded row. */
  readonly positionOf: (id: string) => number | undefined;
  /** The rows from one position to another, both included. */
  readonly range: (from: number, to: number) => Promise<readonly Row[]>;
}

/** Most executions that are selected at once. */
const MOST = 1_000;

type Rows = ReadonlyMap<string, Row>;

export const createSelection = ({ positionOf, range }: Listed) => {
  const rows = signal<Rows>(new Map());
  let last: number | undefined;
  const set = (changed: Rows): void => {
    if (changed.size > MOST) announce(`At most ${MOST.toLocaleString('en')} executions can be selected.`, true);
    else rows.value = changed;
  };
  /** The rows from the one that was changed last, if there are few enough. */
  const rangeTo = async (position: number): Promise<readonly Row[]> => {
    const from = last ?? position;
    return Math.abs(from - position) < MOST ? range(Math.min(from, position), Math.max(from, position)) : [];
  };
  return {
    rows,
    has: (id: string): boolean => rows.value.has(id),
    /** Selects a row, or no longer. @param isRange true to do the same with all rows since the last change */
    toggle: async (row: Row, isRange: boolean): Promise<void> => {
      const isOn = !rows.value.has(row.id);
      const position = positionOf(row.id);
      const between = isRange && position !== undefined ? await rangeTo(position) : [];
      const changed = new Map(rows.value);
      for (const each of [...between, row]) isOn ? changed.set(each.id, each) : changed.delete(each.id);
      last = position;
      set(changed);
    },
    select: (chosen: readonly Row[]): void => set(new Map(chosen.map((row) => [row.id, row]))),
    /** Updates what is known of the selected executions. */
    refresh: (loaded: Iterable<Row>): void => {
      const newer = [...loaded].filter((row) => rows.value.has(row.id) && rows.value.get(row.id) !== row);
      if (newer.length > 0) rows.value = new Map([...rows.value, ...newer.map((row) => [row.id, row] as const)]);
    },
  };
};

type Selection = ReturnType<typeof createSelection>;

/** A component, because a row is drawn again only when its record changes. */
export const Box = ({ row, selection }: { readonly row: Row; readonly selection: Selection }) => (
  <input
    type="checkbox"
    class="select"
    aria-label={`Select ${row.id}`}
    checked={selection.has(row.id)}
    onClick={(event) => {
      selection.toggle(row, event.shiftKey).catch((error: unknown) => announce(formatFailure(error), true));
    }}
  />
);

const counted = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'execution' : 'executions'}`;

const actions = {
  halt: {
    word: 'Halt',
    button: 'Halt selected',
    title: (count: string) => `Halt ${count}?`,
    text: 'Each program gets SIGTERM, and SIGKILL after ten seconds.',
    needs: 'UPDATE',
    done: (count: number) => `${counted(count)} ${count === 1 ? 'is' : 'are'} being halted.`,
    none: 'None of them is running.',
    failed: 'could not be halted',
    rest: 'not running',
    keeps: () => true,
    accepts: ({ status }: Row) => status === 'RUNNING',
    send: ({ id, actorId }: Row) =>
      ask('DELETE /actors/v2/:actorId/executions/:executionId', { params: { actorId, executionId: id } }),
  },
  rerun: {
    word: 'Run again',
    button: 'Run again',
    title: (count: string) => `Run ${count} again?`,
    text: 'Each message is sent again to its actor as it is now.',
    needs: 'EXECUTE',
    done: (count: number) => `${counted(count)} ${count === 1 ? 'runs' : 'run'} again.`,
    none: 'They are still running.',
    failed: 'could not be run again',
    rest: 'still running',
    keeps: isStored,
    accepts: ({ status }: Row) => status !== 'RUNNING',
    send: ({ id, actorId }: Row) =>
      ask('POST /actors/v2/:actorId/executions/:executionId/rerun', { params: { actorId, executionId: id }, json: {} }),
  },
} as const;

type Action = keyof typeof actions;

interface SelectionBarProps {
  readonly selection: Selection;
  readonly total: number;
  readonly listing: Pick<Listed, 'range'>;
  readonly onDone: () => void;
}

export const SelectionBar = ({ selection, total, listing, onDone }: SelectionBarProps) => {
  const asking = useSignal<Action | undefined>(undefined);
  const ongoing = useOngoing();
  const selected = [...selection.rows.value.values()];
  const levels = useLevels(selected.map(({ actorId }) => actorId));
  const fitting = (action: Action): readonly Row[] => selected.filter(actions[action].accepts);
  const levelRefusal = (action: Action, row: Row) => refusalOf(levels.get(row.actorId), actions[action].needs);
  const allowed = (action: Action): readonly Row[] =>
    fitting(action).filter((row) => levelRefusal(action, row) === undefined);
  const rowsFor = (action: Action): readonly Row[] => allowed(action).filter(actions[action].keeps);
  /** Why none of the selected executions can be acted on. Undefined if one can. */
  const whyNone = (action: Action): string | undefined => {
    if (rowsFor(action).length > 0) return undefined;
    const [first] = fitting(action);
    return first === undefined ? actions[action].none : (levelRefusal(action, first) ?? NOT_STORED);
  };
  const act = (action: Action): Promise<void> =>
    ongoing.run(async () => {
      const { send, done, failed } = actions[action];
      const chosen = rowsFor(action);
      const failures = await mapConcurrently(chosen, async (row) => {
        try {
          await send(row);
          return [];
        } catch (error) {
          return [{ row, text: formatFailure(error) }];
        }
      });
      const [first, ...more] = failures.flat();
      // Those that failed stay selected, to be tried again.
      selection.select(failures.flat().map(({ row }) => row));
      if (first === undefined) announce(done(chosen.length));
      else {
        const [count, rest] = [more.length + 1, chosen.length - more.length - 1];
        const why =
          count === 1 ? `and stays selected: ${first.text}` : `and stay selected. ${first.row.id}: ${first.text}`;
        announce(`${rest === 0 ? '' : `${done(rest)} `}${counted(count)} ${failed} ${why}`, true);
      }
      onDone();
    });
  const all = Math.min(total, MOST);
  const selectAll = () =>
    ongoing.run(async () => {
      try {
        selection.select(await listing.range(total - all, total - 1));
      } catch (error) {
        announce(formatFailure(error), true);
      }
    });
  const action = asking.value;
  const question = action === undefined ? undefined : actions[action];
  const asked = asking.value === undefined ? [] : rowsFor(asking.value);
  const fit = asking.value === undefined ? [] : fitting(asking.value);
  const permitted = asking.value === undefined ? [] : allowed(asking.value);
  const leftOut = [
    [selected.length - fit.length, question?.rest ?? ''],
    [fit.length - permitted.length, `you do not have ${question?.needs ?? ''} on the actor`],
    [permitted.length - asked.length, 'the message is not stored in full'],
  ] as const;
  if (selected.length === 0) return null;
  return (
    <fieldset class="actions bare" aria-label="Selected executions">
      <span role="status">{selected.length.toLocaleString('en')} selected</span>
      {(['halt', 'rerun'] as const).map((action) => (
        <ActionButton
          key={action}
          data-selected
          class={action === 'halt' ? 'danger' : ''}
          isOff={ongoing.has()}
          refusal={whyNone(action)}
          onClick={() => {
            asking.value = action;
          }}
        >
          {actions[action].button}
        </ActionButton>
      ))}
      {selected.length >= all ? null : (
        <ActionButton class="quiet" isOff={ongoing.has()} onClick={() => void selectAll()}>
          Select {total > MOST ? 'the newest' : 'all'} {all.toLocaleString('en')}
        </ActionButton>
      )}
      <button type="button" class="quiet" onClick={() => selection.select([])}>
        Select none
      </button>
      {action === undefined || question === undefined ? null : (
        <Confirm
          title={question.title(counted(asked.length))}
          word={question.word}
          line={commandLine('executions', asking.value ?? 'halt', ...asked.map(({ id }) => id))}
          onYes={() => void act(action)}
          onClose={() => {
            asking.value = undefined;
          }}
        >
          <p>{question.text}</p>
          {leftOut.map(([count, why]) =>
            count === 0 ? null : (
              <p key={why}>
                {counted(count)} left out: {why}.
              </p>
            ),
          )}
        </Confirm>
      )}
    </fieldset>
  );
};
