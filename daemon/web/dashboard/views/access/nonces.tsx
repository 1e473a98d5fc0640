// The nonces of all actors and aliases that the caller may read.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Level } from '../../../../../src/contract/operation.ts';
import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { Ago } from '../../parts/ago.tsx';
import { announce } from '../../parts/announce.tsx';
import { Problem } from '../../parts/problem.tsx';
import { FoundRows } from '../../parts/search/found-rows.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { refusalOf, useLevels } from '../actors/level.ts';
import { NewNonce } from './new-nonce.tsx';
import { NonceQuestion } from './nonce-question.tsx';
import { forgetNonces, readNonces } from './read-nonces.ts';
import { formatUses, isWantedNonce, type NonceRow } from './rows.ts';

/** Long interval, because each actor needs a request. */
const EVERY_MS = 300_000;

const deleteNonce = ({ kind, target, nonce: { id: nonceId } }: NonceRow): Promise<null> =>
  kind === 'actor'
    ? ask('DELETE /actors/v2/:actorId/nonces/:nonceId', { params: { actorId: target, nonceId } })
    : ask('DELETE /actors/v2/aliases/:alias/nonces/:nonceId', { params: { alias: target, nonceId } });

const heads = ['Actor or alias', 'Nonce', 'Level and uses', 'Last use', 'Age', 'Action'] as const;

const cellsOf =
  (onDelete: (row: NonceRow) => void, levels: ReadonlyMap<string, Level>) => (row: NonceRow | undefined) => {
    if (row === undefined) return [];
    const { kind, name, actorId, nonce } = row;
    return [
      <a data-row href={hashOf(['actors', actorId], { tab: 'access' })}>
        {kind === 'alias' ? 'alias ' : ''}
        {safe(name)}
      </a>,
      <span title={nonce.description === '' ? undefined : safe(nonce.description)}>
        <code>{safe(nonce.id)}</code> <span class="soft">{safe(nonce.description)}</span>
      </span>,
      <span>
        {nonce.level.toLowerCase()}, {formatUses(nonce)}
      </span>,
      nonce.lastUseTime === undefined ? <span class="soft">not used</span> : <Ago time={nonce.lastUseTime} />,
      <Ago time={nonce.createTime} />,
      <ActionButton
        class="danger"
        refusal={refusalOf(levels.get(actorId), 'UPDATE')}
        aria-label={`Delete ${safe(nonce.id)} of ${safe(name)}`}
        onClick={() => onDelete(row)}
      >
        Delete
      </ActionButton>,
    ];
  };

export const Nonces = ({ q }: { readonly q: string }) => {
  const { value, problem, again } = usePolled('nonces', readNonces, { every: EVERY_MS });
  const gone = useSignal<readonly string[]>([]);
  const asking = useSignal<NonceRow | undefined>(undefined);
  const found = value.value;
  const all = useMemo(() => found?.filter(({ nonce }) => !gone.value.includes(nonce.id)), [found, gone.value]);
  const rows = useMemo(() => (all ?? []).filter((row) => isWantedNonce(row, q)), [all, q]);

  const remove = async (row: NonceRow): Promise<void> => {
    try {
      await deleteNonce(row);
      gone.value = [...gone.value, row.nonce.id];
      forgetNonces();
      announce('The nonce is deleted.');
    } catch (error) {
      announce(formatFailure(error), true);
    }
  };

  const levels = useLevels((all ?? []).map(({ actorId }) => actorId));
  const cells = useMemo(
    () =>
      cellsOf((row) => {
        asking.value = row;
      }, levels),
    [asking, levels],
  );
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField placeholder="Actor, alias, nonce, level" value={q} onSearch={(text) => filter({ q: text })} />
        <button
          type="button"
          onClick={() => {
            forgetNonces();
            again();
          }}
        >
          Read again
        </button>
      </form>
      <NewNonce onCreated={again} />
      <Problem text={problem.value} />
      {all === undefined && problem.value === undefined ? <p class="soft">Reading the nonces of each actor…</p> : null}
      <FoundRows
        label="Nonces"
        heads={heads}
        columns="nonce-rows"
        cells={cells}
        listing={q}
        of={all?.length}
        rows={rows}
        none="Your actors have no nonces. Create one with New nonce."
        noMatch="No nonce matches."
      />
      {asking.value === undefined ? null : (
        <NonceQuestion
          row={asking.value}
          onYes={remove}
          onClose={() => {
            asking.value = undefined;
          }}
        />
      )}
    </>
  );
};
